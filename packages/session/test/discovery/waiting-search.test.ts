import { defineTool, objectSchema } from '@x/core';
import { expect, it } from 'vitest';
import { createSession, memoryStore, resumeSession } from '../../src/index.ts';
import { only, resultOf, say, scriptedProvider } from '../support/makers.ts';

const print = defineTool({
  name: 'print_parcel',
  description: 'Prints a parcel.',
  inputSchema: objectSchema({}),
  execute: async () => 'printed',
});
const search = { name: 'ToolSearch', input: { query: 'print a parcel' } };

it('a search that has waited for an answer finds the same in another object of the session, before any model call', async () => {
  const options = { model: 'm', store: memoryStore(), tools: [print], toolDiscovery: 'always' } as const;
  const { provider } = scriptedProvider([{ toolCalls: [search] }]);
  const session = await createSession({ ...options, provider, canUseTool: async () => ({ behavior: 'wait' }) });
  const { questions = [] } = resultOf(await say(session, 'Begin.'));
  await session.answer(questions[0]!.callId, { behavior: 'allow' });
  const { sessionId } = session;
  await session.close();

  const { provider: another } = scriptedProvider([{ text: 'Done.' }]);
  const again = await resumeSession({ ...options, provider: another, sessionId });
  const events = await Array.fromAsync(again.stream());
  await again.close();

  const [found] = only(events, 'tool_result');
  expect(found).toMatchObject({ name: 'ToolSearch', output: expect.stringContaining('"print_parcel"') });
});
