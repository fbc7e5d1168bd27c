import { AgentError, objectSchema } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type CustomProvider, type HookInput, memoryStore, prompt, sessionUsage } from '../../src/index.ts';
import { bodiesOf, codeOf, only, read, resultOf, say } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { COMPACTED, commandNotes, isSummary, linesOf, talked, usage } from '../support/talked.ts';
import { notificationsIn } from '../support/watched.ts';

describe('/compact', () => {
  it('puts a summary in the place of older messages, with one result and no further turn', async () => {
    const { session, requests, seen } = await talked();

    const sent = await session.send('/compact');
    const events = await read(session);

    expect(sent).toEqual({ status: 'started', messageId: expect.any(String) });
    expect(events.map(({ type }) => type)).toEqual(['turn_start', 'usage', 'turn_end', 'result']);
    expect(resultOf(events)).toMatchObject({
      subtype: 'success',
      content: 'The conversation was compacted: 6 messages became 3',
      messageId: sent.messageId,
      usage,
    });
    expect(linesOf(session.messages)).toEqual(COMPACTED);
    expect(requests.map(isSummary)).toEqual([true]);
    expect(seen.map(({ type }) => type)).toEqual(['turn_start', 'usage', 'compaction', 'turn_end', 'result']);
  });

  it('heeds the instructions behind it', async () => {
    const { session, requests } = await talked();

    await say(session, '/compact  Keep every\nfile name. ');

    expect(requests[0]?.instruction).toMatch(/\n\nKeep every\nfile name\.$/);
  });

  it('is never shown to the model, and stays in the log with what came of it', async () => {
    const { session, requests, store } = await talked();
    const { messageId } = await session.send('/compact Keep names.');
    await read(session);

    await say(session, 'Four?');

    expect(linesOf(requests.at(-1)!.messages)).toEqual([...COMPACTED, 'user: Four?']);
    expect(JSON.stringify(requests.at(-1)!.messages)).not.toContain('/compact');
    expect(commandNotes(await bodiesOf(store, session.sessionId))).toMatchObject([
      { messageId, text: '/compact Keep names.', outcome: 'compacted' },
    ]);
    expect(JSON.stringify(await bodiesOf(store, session.sessionId))).toContain('One?');
    expect(await store.inbox(session.sessionId)).toEqual([]);
  });

  it('is counted like every model call', async () => {
    const { session, store } = await talked({ prices: { scripted: { input: 10_000, output: 0 } } });

    await say(session, '/compact');

    const { entries } = await session.usage();
    expect(entries.at(-1)).toMatchObject({ purpose: 'compaction', inputTokens: 70, cost: 0.7 });
    expect((await sessionUsage(store, session.sessionId)).total.calls).toBe(4);
    expect((await bodiesOf(store, session.sessionId)).at(-1)).toMatchObject({ type: 'run_ended', usage });
  });

  it('says so when there is nothing to compact', async () => {
    const { session } = await talked();
    await say(session, '/compact');
    await say(session, '/compact');

    const again = await say(session, '/compact');

    expect(again.map(({ type }) => type)).toEqual(['result']);
    expect(resultOf(again)).toMatchObject({ subtype: 'success', content: 'There is nothing to compact yet' });
    expect(await codeOf(read(session))).toBe('NOTHING_TO_STREAM');
  });

  it('may be the first message of a session', async () => {
    const model = scriptedModel([{ text: 'Hello.' }]);
    const provider: CustomProvider = { type: 'custom', createModel: () => model };

    const answer = await prompt('/compact', { provider, model: 'm', store: memoryStore() });

    expect(answer).toMatchObject({ result: 'There is nothing to compact yet', turnsCount: 0, toolCalls: [] });
    expect(model.requests).toEqual([]);
  });

  it('works in a session that was resumed, and holds in one that is', async () => {
    const { session, store, given } = await talked();
    await session.close();
    const { session: again } = await resumed(store, session.sessionId, [], given);
    await say(again, '/compact');
    await again.close();

    const { session: last } = await resumed(store, session.sessionId, [], given);

    expect(linesOf(last.messages)).toEqual(COMPACTED);
    expect(last.messages).toEqual(again.messages);
    expect(await codeOf(read(last))).toBe('NOTHING_TO_STREAM');
  });

  it('gives no answer in the form of outputFormat: none is asked for', async () => {
    const store = memoryStore();
    const { session, given } = await talked({ store });
    await session.close();
    const outputFormat = {
      type: 'json_schema',
      schema: objectSchema({ ok: { type: 'boolean', description: 'Whether it is.' } }),
    } as const;
    const { session: strict } = await resumed(store, session.sessionId, [], { ...given, outputFormat });

    const result = resultOf(await say(strict, '/compact'));

    expect(result).toMatchObject({ subtype: 'success', content: expect.stringContaining('was compacted') });
    expect(result).not.toHaveProperty('structured');
  });

  it('is told to the Compaction hook as asked for, and may be blocked by it', async () => {
    const asked: HookInput<'Compaction'>[] = [];
    const blocks = async (input: HookInput<'Compaction'>) => (asked.push(input), { blockCompaction: true });
    const prompted: unknown[] = [];
    const { session, seen, store } = await talked({
      hooks: {
        Compaction: [{ hooks: [blocks] }],
        UserPromptSubmit: [{ hooks: [async (input) => void prompted.push(input.user_prompt)] }],
      },
    });

    const events = await say(session, '/compact');

    expect(asked).toMatchObject([{ trigger: 'manual', messages_before: 6 }]);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'A hook has blocked the compaction' });
    expect(notificationsIn(seen, 'compaction_blocked')).toHaveLength(1);
    expect(session.messages).toHaveLength(6);
    expect(prompted).toEqual(['One?', 'Two?', 'Three?']); // it is no prompt
    expect(commandNotes(await bodiesOf(store, session.sessionId))).toMatchObject([{ outcome: 'blocked' }]);
  });

  it('fails with the reason when there is no summary, once, and changes nothing', async () => {
    const { session, store } = await talked({ summary: () => ({ text: '', usage }) });

    const events = await say(session, '/compact');

    expect(events.map(({ type }) => type)).toEqual(['turn_start', 'usage', 'turn_end', 'error', 'result']);
    expect(only(events, 'error')).toMatchObject([{ code: 'COMPACTION_FAILED' }]);
    expect(resultOf(events)).toMatchObject({ subtype: 'error', usage });
    expect(session.messages).toHaveLength(6);
    expect(commandNotes(await bodiesOf(store, session.sessionId))).toMatchObject([{ outcome: 'failed' }]);
    expect(await codeOf(read(session))).toBe('NOTHING_TO_STREAM');
  });

  it('is tried again by the retries of the session', async () => {
    let tries = 0;
    const overloaded = new AgentError('busy', { code: 'MODEL_ERROR', statusCode: 503, retryable: true });
    const summary = () =>
      ++tries === 1 ? { error: Object.assign(overloaded, { retryAfter: 0 }) } : { text: 'The gist.' };
    const { session } = await talked({ summary });

    await say(session, '/compact');

    expect(linesOf(session.messages)).toEqual(COMPACTED);
  });

  it.each(['abort()', 'its signal', 'leaving'])('is given up at once by %s, and does not come back', async (way) => {
    const asked = Promise.withResolvers<void>();
    const stop = new AbortController();
    const { session, store } = await talked({ summary: () => (asked.resolve(), { hangs: true }) });
    await session.send('/compact', { signal: stop.signal });
    const stream = session.stream();
    const reading = Array.fromAsync({ [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) });
    await asked.promise;

    if (way === 'abort()') session.abort();
    else if (way === 'its signal') stop.abort();
    else await stream.return();
    const events = await reading;

    expect(events.filter(({ type }) => type === 'result')).toMatchObject(
      way === 'leaving' ? [] : [{ subtype: 'aborted', usage: { estimated: true } }],
    );
    expect(session.messages).toHaveLength(6);
    expect(commandNotes(await bodiesOf(store, session.sessionId))).toMatchObject([{ outcome: 'aborted' }]);
    expect(await store.inbox(session.sessionId)).toEqual([]);
    expect(resultOf(await say(session, 'Four?')).subtype).toBe('success');
  });

  it('is not begun when its run is aborted before, and waits', async () => {
    const { session, requests } = await talked();
    const stop = new AbortController();
    await session.send('/compact', { signal: stop.signal });
    stop.abort();

    expect(resultOf(await read(session)).subtype).toBe('aborted');
    expect(requests).toEqual([]);
    expect(resultOf(await read(session)).content).toContain('was compacted');
  });
});
