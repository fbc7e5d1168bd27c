import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerQuestion,
  listSessions,
  memoryStore,
  pendingQuestions,
  type SessionStore,
  sqliteStore,
} from '../../src/index.ts';
import { bodiesOf, codeOf, faultsOf, only, read, resultOf, say, scriptedSession } from '../support/makers.ts';
import { finishedIn, resumed } from '../support/resumed.ts';
import { later, paying, payTool, waitingSession } from '../support/waiting.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'questions-'));
});
afterAll(() => rm(folder, { recursive: true }));

const stores: [string, () => SessionStore][] = [
  ['memory', memoryStore],
  ['sqlite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
  ['directory', () => sqliteStore({ directory: join(folder, crypto.randomUUID()) })],
];

describe.each(stores)('a question that waits, over the %s store', (_name, open) => {
  it('ends the run with what was asked, and the call has not run (V09)', async () => {
    const { question, paid, sessionId, events } = await waitingSession({ store: open() });

    expect(resultOf(events)).toMatchObject({ subtype: 'waiting', turns: 1 });
    expect(question).toMatchObject({
      callId: 'p1',
      agentPath: [],
      agentName: 'main',
      toolName: 'pay',
      input: { amount: 5 },
      kind: 'permission',
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(question.suggestedRule).toBe('pay');
    expect(only(events, 'tool_result')).toEqual([]);
    expect(paid).toEqual([]);
    expect(sessionId).not.toBe('');
  });

  it('is answered by another process, and the session goes on at that very call (V10)', async () => {
    const { session, store, sessionId, pay, paid } = await waitingSession({ store: open() });
    await session.close();

    await answerQuestion({ store, sessionId, callId: 'p1', answer: { behavior: 'allow' } });
    const other = await resumed(store, sessionId, paying, { tools: [pay], canUseTool: later });
    const events = await read(other.session);

    expect(paid).toEqual(['p1 5']);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Goodbye.' });
    expect(other.model.requests).toHaveLength(1); // the reply with the call was not asked for again
    expect(faultsOf(other.session.messages)).toEqual([]);
    expect(await store.inbox(sessionId)).toEqual([]);
    expect(await codeOf(other.session.answer('p1', { behavior: 'allow' }))).toBe('QUESTION_NOT_OPEN');
  });

  it('is refused by a person, and the model reads why', async () => {
    const { session, model, paid } = await waitingSession({ store: open() });

    await session.answer('p1', { behavior: 'deny', message: 'Too expensive.' });
    const events = await read(session);

    expect(paid).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ isError: true, output: 'pay was not run: Too expensive.' }]);
    expect(model.requests).toHaveLength(2);
  });

  it('is refused in the words of a person who gives none, not in those of a callback', async () => {
    const { session } = await waitingSession({ store: open() });

    await session.answer('p1', { behavior: 'deny' });
    const [result] = only(await read(session), 'tool_result');

    expect(result?.output).toBe('pay was not run: the answer to its question denies it');
  });

  it('is listed with its session and its age until it is answered (V12)', async () => {
    const { session, store, sessionId, question } = await waitingSession({ store: open() });
    const idle = await scriptedSession([{ text: 'Hello.' }], { store });
    await say(idle.session, 'Hi.');

    const [listed, ...others] = await pendingQuestions(store);
    const waiting = await listSessions({ store, state: 'waiting' });
    await session.answer('p1', { behavior: 'allow' });

    expect(listed).toEqual({ ...question, sessionId, ageMs: expect.any(Number) });
    expect(listed!.ageMs).toBeLessThan(60_000);
    expect(others).toEqual([]);
    expect(waiting.sessions.map((one) => one.sessionId)).toEqual([sessionId]);
    expect(await pendingQuestions(store)).toEqual([]);
  });

  it('is still open when the session is streamed before the answer: no model call, nobody asked again (V27)', async () => {
    const asked: string[] = [];
    const canUseTool = async (name: string) => {
      asked.push(name);
      return { behavior: 'wait' } as const;
    };
    const { session, model, question, paid } = await waitingSession({ store: open(), canUseTool });

    const again = resultOf(await read(session));

    expect(again).toMatchObject({ subtype: 'waiting', questions: [question] });
    expect(model.requests).toHaveLength(1);
    expect(asked).toEqual(['pay']);
    expect(paid).toEqual([]);
  });

  it('keeps messages behind it; one sent with priority `now` withdraws it (V27)', async () => {
    const script = [{ toolCalls: [{ id: 'p1', name: 'pay', input: { amount: 5 } }] }, { text: 'Stopped.' }];
    const { session, model, store, sessionId, paid } = await waitingSession({ store: open() }, script);

    const queued = await session.send('And?');
    const stillWaiting = resultOf(await read(session));
    const now = await session.send('Stop that.', { priority: 'now' });
    const events = await read(session);

    expect([queued.status, now.status]).toEqual(['queued', 'queued']);
    expect(stillWaiting.subtype).toBe('waiting');
    expect(resultOf(events).subtype).toBe('success');
    expect(only(events, 'user_message').map(({ content }) => content)).toEqual(['And?', 'Stop that.']);
    expect(finishedIn(await bodiesOf(store, sessionId)).map(({ result }) => result)).toMatchObject([
      { isError: true, interrupted: 'not_run', output: expect.stringContaining('its question was withdrawn') },
    ]);
    expect([paid, faultsOf(session.messages)]).toEqual([[], []]);
    expect(model.requests).toHaveLength(2);
    expect(await codeOf(session.answer('p1', { behavior: 'allow' }))).toBe('QUESTION_NOT_OPEN');
  });

  it('is withdrawn by abort(), and the run ends as aborted without a reader (V12, V27)', async () => {
    const { session, store, sessionId, paid } = await waitingSession({ store: open() });

    session.abort();
    await session.close();

    expect((await bodiesOf(store, sessionId)).at(-1)).toMatchObject({ type: 'run_ended', subtype: 'aborted' });
    expect(await pendingQuestions(store)).toEqual([]);
    expect(await codeOf(answerQuestion({ store, sessionId, callId: 'p1', answer: { behavior: 'allow' } }))).toBe(
      'QUESTION_NOT_OPEN',
    );
    expect(paid).toEqual([]);
  });

  it('is withdrawn by abort() in the moment in which its run goes on, and the run stays ended', async () => {
    const { session, store, sessionId, paid } = await waitingSession({ store: open() });
    await answerQuestion({ store, sessionId, callId: 'p1', answer: { behavior: 'allow' } });

    const reading = codeOf(read(session)); // it has been asked for, and has not begun
    session.abort();

    expect(await reading).toBe('NOTHING_TO_STREAM');
    await session.close();
    const types = (await bodiesOf(store, sessionId)).map(({ type }) => type);
    expect(types.at(-1)).toBe('run_ended');
    expect(types).not.toContain('run_resumed');
    expect(paid).toEqual([]);
  });

  it('is answered once: the first answer counts, also of two at the same moment', async () => {
    const { store, session, sessionId, paid } = await waitingSession({ store: open() });
    const answer = (behavior: 'allow' | 'deny') =>
      codeOf(answerQuestion({ store, sessionId, callId: 'p1', answer: { behavior } }));

    const codes = await Promise.all([answer('allow'), answer('deny'), answer('allow')]);
    await read(session);

    expect(codes.map(String).toSorted()).toEqual(['QUESTION_ANSWERED', 'QUESTION_ANSWERED', 'resolved']);
    expect(paid).toEqual(codes[1] === 'resolved' ? [] : ['p1 5']);
  });
});

describe('a session that nobody has allowed to wait', () => {
  it('never ends a run as waiting (V09)', async () => {
    const { pay, paid } = payTool();
    const { session } = await scriptedSession(paying, { tools: [pay], canUseTool: async () => ({ behavior: 'ask' }) });

    expect(resultOf(await say(session, 'Pay.')).subtype).toBe('success');
    expect(paid).toEqual([]);
  });
});
