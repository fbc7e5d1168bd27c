// A session that is in the middle of a tool (which waits for its signal) or of a model call (which does too), as an argument says.
// Prints a JSON line when it is there, when the signal was aborted, and how the run ended. Arguments: the database, what is under way
// (`tool`, `model`, or `tool-beside`: a second tool ends meanwhile, so that the end is noticed by an append), milliseconds of lease,
// and milliseconds between two renewals (0: never, a control).
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, objectSchema } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { createSession, sqliteStore } from '../../src/index.ts';
import { withLease } from './store-wrappers.ts';

export type HeldLine =
  | { readonly type: 'under way'; readonly sessionId: string }
  | { readonly type: 'aborted' }
  | { readonly type: 'ended'; readonly codes: readonly string[]; readonly subtype: string };

const [path = '', what, leaseMs = '0', renewMs = '0'] = process.argv.slice(2);
const RENEWAL_MS = 5_000;
const { setInterval: every } = globalThis;
// The heartbeat of a lease of 30 seconds, for one that is shorter.
globalThis.setInterval = ((work: () => void, ms: number) =>
  every(work, ms === RENEWAL_MS ? Number(renewMs) || 2 ** 30 : ms)) as typeof setInterval; // safe: called in this form only
every(() => undefined, 1000); // heartbeats alone do not keep a process alive

const store = withLease(sqliteStore({ path }), Number(leaseMs));
const inputSchema = objectSchema({});
const wait = defineTool({
  name: 'wait',
  description: 'Waits.',
  kind: 'readonly',
  inputSchema,
  execute: (_input, { signal }) => untilAborted(signal),
});
const brief = defineTool({
  name: 'brief',
  description: 'Ends soon.',
  kind: 'readonly',
  inputSchema,
  execute: async () => {
    await sleep(2 * Number(leaseMs));
    return 'Done.';
  },
});
const toolCalls = [{ name: 'wait', input: {} }, ...(what === 'tool-beside' ? [{ name: 'brief', input: {} }] : [])];
const inner = scriptedModel([{ toolCalls }, { text: 'Done.' }]);
const model: typeof inner = {
  ...inner,
  async *stream(request) {
    if (what === 'model') await untilAborted(request.signal);
    return yield* inner.stream(request);
  },
};
const session = await createSession({
  provider: { type: 'custom', createModel: () => model },
  model: 'held',
  store,
  tools: [wait, brief],
  permissionMode: 'bypassPermissions',
});
await session.send('Begin.');
const codes: string[] = [];
let subtype = '';
for await (const event of session.stream()) {
  if (event.type === 'error') codes.push(event.code ?? 'none');
  if (event.type === 'result') subtype = event.subtype;
}
tell({ type: 'ended', codes, subtype });
process.exit();

async function untilAborted(signal: AbortSignal): Promise<string> {
  tell({ type: 'under way', sessionId: session.sessionId });
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  tell({ type: 'aborted' });
  throw signal.reason;
}

function tell(line: HeldLine): void {
  console.log(JSON.stringify(line));
}
