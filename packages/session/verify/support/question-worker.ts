// A worker that is killed: serves the sessions of one file, whose every payment waits for an answer. Arguments: the file, a file that each payment
// is noted in, the euros that this worker adds to each (the input is then another one), and `asking` or `allowing` (the control).
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { objectSchema, toolUsesOf } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { type CanUseTool, localEngine, serveSessions, sqliteStore } from '../../src/index.ts';
import { toolNamed } from '../../test/support/makers.ts';

const [path = '', effects = '', added = '0', guard] = process.argv.slice(2);
const store = sqliteStore({ path });
const engine = localEngine({ concurrency: 3, retryDelay: 10, maxRetryDelay: 50 });
const inputSchema = objectSchema({ euros: { type: 'integer', description: 'How much.' } });
const pay = toolNamed(
  'pay',
  async (input, { callId }) => {
    appendFileSync(effects, `${callId} ${(input as { euros: number }).euros}\n`);
    await sleep(5);
    return 'Paid.';
  },
  { inputSchema },
);
/** Up to three payments for each message, with ids of their own. */
const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== 'user') return { text: 'Done.' };
  const said = messages.flatMap((one) => (one.role === 'assistant' ? toolUsesOf(one) : [])).length;
  const euros = 10 * (said + 1);
  const toolCalls = Array.from({ length: 1 + (messages.length % 3) }, (_, index) => ({
    id: `${last.id.slice(0, 8)}-${index}`,
    name: 'pay',
    input: { euros: euros + 10 * index },
  }));
  return { toolCalls };
});
const canUseTool: CanUseTool = async (_name, input) => {
  const { euros } = input as { euros: number };
  if (guard === 'allowing') return { behavior: 'allow' };
  return euros % 10 === Number(added)
    ? { behavior: 'wait' }
    : { behavior: 'allow', updatedInput: { euros: euros - (euros % 10) + Number(added) } };
};
await serveSessions({
  engine,
  store,
  lookEveryMs: 20,
  options: () => ({
    provider: { type: 'custom', createModel: () => model },
    model: 'm',
    tools: [pay],
    allowedTools: ['pay'],
    canUseTool,
  }),
});
process.send?.('serving');
