import { AgentError, type ModelRequest, objectSchema, textOf } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  type CustomProvider,
  createSession,
  type EntryBody,
  type HookInput,
  memoryStore,
  prompt,
  type SessionOptions,
  type SessionStore,
  sessionUsage,
} from '../src/index.ts';
import { bodiesOf, codeOf, only, read, resultOf, say } from './makers.ts';
import { mortal } from './mortal-store.ts';
import { resumed } from './resumed.ts';
import { notificationsIn, watched } from './watched.ts';

const isSummary = ({ instruction }: ModelRequest) => instruction.startsWith('You condense');
const usage = { inputTokens: 70, outputTokens: 7, totalTokens: 77 };

interface Parts extends Partial<SessionOptions> {
  /** What happens while the summary is written. */
  readonly summary?: () => ScriptedReply;
}

/** A session with three short turns behind it, and what happens when it is asked for a summary. */
async function talked({ summary = () => ({ text: 'The gist.', usage }), ...options }: Parts = {}) {
  const { handler, events: seen } = watched();
  const requests: ModelRequest[] = [];
  const model = scriptedModel((request) => {
    requests.push(request);
    return isSummary(request) ? summary() : { text: 'Yes.' };
  });
  const provider: CustomProvider = { type: 'custom', createModel: () => model };
  const store: SessionStore = options.store ?? memoryStore();
  const given = { provider, model: 'm', allowedTools: [], handlers: [handler], ...options, store };
  const session = await createSession(given);
  for (const text of ['One?', 'Two?', 'Three?']) await say(session, text);
  requests.length = 0;
  seen.length = 0;
  return { session, requests, seen, store, given };
}
const linesOf = (messages: readonly { role: string; content: unknown }[]) =>
  messages.map(({ role, content }) => `${role}: ${(content as { text: string }[])[0]?.text.split('\n').at(-1)}`);
const commandNotes = (bodies: readonly EntryBody[]) =>
  bodies.flatMap((body) => {
    if (body.type !== 'record' || body.record.type !== 'note' || body.record.name !== 'command') return [];
    return [body.record.data as { messageId: string; text: string; outcome: string }];
  });
/** What is left of the conversation once it was compacted. */
const COMPACTED = ['user: The gist.', 'user: Three?', 'assistant: Yes.'];

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

describe('/compact beside other messages', () => {
  it('is done before those of its run, whatever their order, and several are one', async () => {
    const { session, requests } = await talked();
    const outcomes = [];
    for (const text of ['Four?', '/compact Names.', 'Five?', '/compact Numbers.'])
      outcomes.push(await session.send(text));

    const events = await read(session);

    expect(outcomes.map(({ status }) => status)).toEqual(['started', 'queued', 'queued', 'queued']);
    expect(events.map(({ type }) => type).join(' ')).toBe(
      'turn_start usage user_message user_message content usage turn_end result',
    );
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Yes.', messageId: outcomes[0]?.messageId });
    expect(requests.map(isSummary)).toEqual([true, false]);
    expect(requests[0]?.instruction).toMatch(/\n\nNames\.\nNumbers\.$/);
    expect(linesOf(requests[1]!.messages)).toEqual([...COMPACTED, 'user: Four?', 'user: Five?']);
    expect(await codeOf(read(session))).toBe('NOTHING_TO_STREAM');
  });

  it('leaves the run to the first of them, wherever it was sent itself', async () => {
    const { session } = await talked();
    await session.send('/compact');
    const { messageId } = await session.send('Four?');

    const events = await read(session);

    expect(resultOf(events)).toMatchObject({ subtype: 'success', messageId });
  });

  it('keeps them for the next run when it fails', async () => {
    const { session } = await talked({ summary: () => ({ error: new Error('no') }) });
    await session.send('/compact');
    await session.send('Four?');

    const failed = await read(session);
    const served = await read(session);

    expect(resultOf(failed).subtype).toBe('error');
    expect(only(served, 'user_message')).toMatchObject([{ content: 'Four?' }]);
  });

  it.each(['now', 'next', 'later'] as const)(
    'waits for the next run when it is sent during one with priority %s',
    async (priority) => {
      const { session, requests } = await talked();
      await session.send('Four?');
      const outcomes: unknown[] = [];
      for await (const event of session.stream()) {
        if (event.type === 'content') outcomes.push(await session.send('/compact', { priority }));
      }

      const before = requests.length;
      const events = await read(session);

      expect(outcomes).toMatchObject([{ status: 'queued' }]);
      expect(before).toBe(1);
      expect(resultOf(events).content).toContain('was compacted');
    },
  );

  it.each(['now', 'next'] as const)('delivers behind it what arrives meanwhile with priority %s', async (priority) => {
    const status: unknown[] = [];
    const sent: { now?: () => Promise<{ status: string }> } = {};
    const Compaction = [{ hooks: [async () => void status.push((await sent.now?.())?.status)] }];
    const { session, requests, seen } = await talked({ hooks: { Compaction } });
    sent.now = () => session.send('Four?', { priority });

    const events = await say(session, '/compact');

    expect(status).toEqual(['steered']);
    expect(resultOf(events).content).toBe('Yes.');
    expect(linesOf(requests.at(-1)!.messages)).toEqual([...COMPACTED, 'user: Four?']);
    const order = seen.flatMap(({ type }) => (type === 'compaction' || type === 'user_message' ? [type] : []));
    expect(order).toEqual(['compaction', 'user_message']);
    expect(only(events, 'turn_start').map(({ turn }) => turn)).toEqual([1]);
  });
});

describe('/compact and a crash', () => {
  const isCut = (bodies: readonly EntryBody[]) =>
    bodies.some((body) => body.type === 'record' && body.record.type === 'compaction');
  const hasStarted = (bodies: readonly EntryBody[]) => bodies.some(({ type }) => type === 'run_started');
  const saysFour = (bodies: readonly EntryBody[]) => JSON.stringify(bodies).includes('Four?');

  it.each<[string, 'before' | 'after', boolean, number]>([
    ['before the run was recorded', 'before', false, 1],
    ['after the run was recorded', 'after', false, 1],
    ['before the summary was', 'before', true, 1],
    ['after the summary was', 'after', true, 0],
  ])('%s: the command is obeyed once', async (_, when, atCut, summaries) => {
    let armed = false;
    const { inner, store, gone } = mortal((bodies) =>
      armed && (atCut ? isCut : hasStarted)(bodies) ? when : undefined,
    );
    const { session, given, requests } = await talked({ store });
    armed = true;
    await session.send('/compact');
    const reading = read(session);
    await Promise.race([gone, reading]);
    requests.length = 0;

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
    const events = await read(again);

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: expect.stringContaining('was compacted') });
    expect(requests.map(isSummary)).toEqual(Array.from({ length: summaries }, () => true));
    expect(linesOf(again.messages)).toEqual(COMPACTED);
    expect(commandNotes(await bodiesOf(inner, session.sessionId))).toHaveLength(1);
    expect(await codeOf(read(again))).toBe('NOTHING_TO_STREAM');
  });

  it('after the summary: a message that came since is answered in the same run', async () => {
    let armed = false;
    const { inner, store, gone } = mortal((bodies) => (armed && isCut(bodies) ? 'after' : undefined));
    const { session, given } = await talked({ store });
    armed = true;
    await session.send('/compact');
    await Promise.race([gone, read(session)]);

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
    const events = await say(again, 'Four?');

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Yes.' });
    expect(linesOf(again.messages)).toEqual([...COMPACTED, 'user: Four?', 'assistant: Yes.']);
    expect((await bodiesOf(inner, session.sessionId)).filter(({ type }) => type === 'run_started')).toHaveLength(4);
  });

  it.each(['before', 'after'] as const)('%s a message behind it was recorded: it is delivered once', async (when) => {
    let armed = false;
    const { inner, store, gone } = mortal((bodies) => (armed && saysFour(bodies) ? when : undefined));
    const { session, given, requests } = await talked({ store });
    armed = true;
    await session.send('/compact');
    await session.send('Four?');
    await Promise.race([gone, read(session)]);
    requests.length = 0;

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
    const events = await read(again);

    expect(resultOf(events).content).toBe('Yes.');
    expect(requests.map(isSummary)).toEqual([false]);
    expect(linesOf(again.messages)).toEqual([...COMPACTED, 'user: Four?', 'assistant: Yes.']);
  });

  it('with a message that arrived meanwhile: it is answered, although the run began with a command alone', async () => {
    const sent: { now?: () => Promise<unknown> } = {};
    const Compaction = [{ hooks: [async () => void (await sent.now?.())] }];
    let armed = false;
    const { inner, store, gone } = mortal((bodies) => (armed && saysFour(bodies) ? 'after' : undefined));
    const { session, given, requests } = await talked({ store, hooks: { Compaction } });
    sent.now = () => session.send('Four?');
    armed = true;
    await session.send('/compact');
    await Promise.race([gone, read(session)]);
    requests.length = 0;

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });

    expect(resultOf(await read(again)).content).toBe('Yes.');
    expect(requests.map(isSummary)).toEqual([false]);
    expect(textOf(again.messages.at(-1) as Parameters<typeof textOf>[0])).toBe('Yes.'); // safe: it is a reply
  });

  it.each([['/compact'], ['/compact', 'Four?'], ['Four?', '/compact Names.', 'Five?', '/compact']])(
    'at any append, with %s %s %s %s sent: everything is delivered and obeyed once',
    async (...texts) => {
      const outcomes = new Set<string>();
      for (let point = 0; ; point++) {
        let appends = -1; // not counted before the messages are sent
        const { inner, store, gone } = mortal(() => {
          if (appends < 0) return undefined;
          appends += 1;
          return appends === Math.floor(point / 2) + 1 ? (point % 2 === 0 ? 'before' : 'after') : undefined;
        });
        const { session, given, requests } = await talked({ store });
        appends = 0;
        for (const text of texts) await session.send(text);
        const ended = await Promise.race([gone.then(() => false), read(session).then(() => true)]);
        if (ended) break;
        const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
        await read(again).catch((error: unknown) => error); // nothing is left to do when the run has ended just before

        const bodies = await bodiesOf(inner, session.sessionId);
        const isEnded = bodies.at(-1)?.type === 'run_ended';
        const cuts = bodies.filter((body) => isCut([body])).length;
        const notes = commandNotes(bodies).length;
        const shown = JSON.stringify(requests.map(({ messages }) => messages)).includes('/compact');
        const view = linesOf(again.messages).join();
        outcomes.add(
          JSON.stringify({ isEnded, cuts, notes, shown, view, waits: (await inner.inbox(session.sessionId)).length }),
        );
      }

      const commands = texts.filter((text) => text.startsWith('/')).length;
      const said = texts.filter((text) => !text.startsWith('/')).map((text) => `user: ${text}`);
      const view = [...COMPACTED, ...said, ...(said.length > 0 ? ['assistant: Yes.'] : [])].join();
      expect([...outcomes].map((text) => JSON.parse(text) as unknown)).toEqual([
        { isEnded: true, cuts: 1, notes: commands, shown: false, view, waits: 0 },
      ]);
    },
  );
});
