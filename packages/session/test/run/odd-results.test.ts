import type { AgentHandler, Tool } from '@x/core';
import { describe, expect, it } from 'vitest';
import { exportSession, importSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { bodiesOf, only, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';

const script = [{ toolCalls: [{ id: 'c', name: 'odd' }] }, { text: 'Done.' }];
const odd = (fields: object): Tool => toolNamed('odd', async () => ({ output: 'Ran.', isError: false, ...fields }));

/** The run, and the results in its log, which another store takes. */
async function ran(options: Partial<SessionOptions>) {
  const store = memoryStore();
  const { session } = await scriptedSession(script, { store, ...options });
  const events = await say(session, 'Begin.');
  await session.close();
  await importSession(exportSession(session.sessionId, { store }), { store: memoryStore(), sessionId: 'copy' });
  const results = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
    body.type === 'record' && body.record.type === 'tool_finished' ? [body.record.result] : [],
  );
  return { events, results };
}

describe('the result of a tool', () => {
  it.each<[string, object]>([
    ['a field that JSON cannot carry', { more: 1n }],
    ['a word for an interruption that is none', { interrupted: 'maybe' }],
  ])('is kept without %s, and the run goes on', async (_, fields) => {
    const { events, results } = await ran({ tools: [odd(fields)] });

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(results).toEqual([{ output: 'Ran.', isError: false }]);
  });

  it('keeps what says that its effect is not known', async () => {
    const { results } = await ran({ tools: [odd({ isError: true, interrupted: 'unknown' })] });

    expect(results).toEqual([{ output: 'Ran.', isError: true, interrupted: 'unknown' }]);
  });

  it('with images of a handler that no model could be given ends the run, and is not kept', async () => {
    const handler: AgentHandler = {
      name: 'painter',
      async *wrapToolCall(call, next) {
        // safe: what is wrong with it is the question
        return { ...(yield* next(call)), images: 'a cat' as never };
      },
    };
    const { events, results } = await ran({ tools: [odd({})], handlers: [handler] });

    expect(resultOf(events)).toMatchObject({
      code: 'HANDLER_ERROR',
      error: expect.stringMatching(/wrapToolCall of handler painter must .*: images of its result must be a list/),
    });
    expect(results).toEqual([expect.objectContaining({ isError: true })]);
  });

  it('is told behind things yielded that are no events, which nobody sees', async () => {
    const execute = async function* () {
      yield 'Half.';
      yield null as never; // safe: what is wrong with it is the question
      return 'Whole.';
    };
    const { events } = await ran({ tools: [toolNamed('odd', execute, { streaming: true })] });

    expect(only(events, 'tool_result').map(({ output }) => output)).toEqual(['Whole.']);
    expect(resultOf(events).subtype).toBe('success');
  });
});
