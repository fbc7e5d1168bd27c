import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerQuestion, pendingQuestions } from '../../src/index.ts';
import { codeOf, only, read, resultOf } from '../support/makers.ts';
import { waitingSession } from '../support/waiting.ts';

const DAY = 24 * 60 * 60 * 1000;

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe('questionTtlMs (V12, V28)', () => {
  it('refuses a call whose question has expired, and says so', async () => {
    const { session, store, sessionId, question, paid } = await waitingSession({ questionTtlMs: 2 * DAY });
    later(2 * DAY - 1);
    const open = resultOf(await read(session));
    const listed = await pendingQuestions(store);
    later(1);

    const code = await codeOf(answerQuestion({ store, sessionId, callId: 'p1', answer: { behavior: 'allow' } }));
    const gone = await pendingQuestions(store);
    const events = await read(session);

    expect(question.expiresAt).toBe(question.askedAt + 2 * DAY);
    expect([open.subtype, listed.length, code, gone.length]).toEqual(['waiting', 1, 'QUESTION_EXPIRED', 0]);
    expect(only(events, 'tool_result')).toMatchObject([
      { isError: true, output: expect.stringContaining('nobody answered before the question expired') },
    ]);
    expect([resultOf(events).subtype, paid]).toEqual(['success', []]);
  });

  it('keeps an answer that was given in time, however late the run goes on', async () => {
    const { session, paid } = await waitingSession({ questionTtlMs: DAY });
    await session.answer('p1', { behavior: 'allow' });
    later(30 * DAY);

    await read(session);

    expect(paid).toEqual(['p1 5']);
  });

  it('is for ever without it: a question is answered after 400 days', async () => {
    const { session, store, paid, question } = await waitingSession();
    later(400 * DAY);
    const [listed] = await pendingQuestions(store);

    await session.answer('p1', { behavior: 'allow' });
    await read(session);

    expect(question.expiresAt).toBeUndefined();
    expect(listed?.ageMs).toBeGreaterThanOrEqual(400 * DAY);
    expect(paid).toEqual(['p1 5']);
  });
});
