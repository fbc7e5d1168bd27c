import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { toUIMessageStream } from '../../src/ui/index.ts';
import { echoTool, say, scriptedSession } from '../support/makers.ts';
import { linesOf, shown } from '../support/shown-message.ts';

describe('toUIMessageStream', () => {
  it('finds the beginning of a long run, and ends with its signal', async () => {
    const store = memoryStore();
    const calls = Array.from({ length: 40 }, (_, at) => ({
      toolCalls: [{ id: `c${at}`, name: 'echo', input: { text: 'x' } }],
    }));
    const { session } = await scriptedSession([{ text: 'One.' }, ...calls, { text: 'Done.' }], {
      store,
      tools: [echoTool()],
      maxTurns: 50,
    });
    await say(session, 'First.');
    await say(session, 'Second.');

    const { message } = await shown(session, store);
    const leaving = new AbortController();
    const { signal } = leaving;
    const { cursor: from } = message.metadata as { readonly cursor: string };
    const reader = toUIMessageStream({ store, sessionId: session.sessionId, from, signal }).getReader();
    const next = reader.read();
    leaving.abort();

    expect(linesOf(message).filter((line) => line.startsWith('echo'))).toHaveLength(40);
    expect(await next).toMatchObject({ done: true });
  });
});
