import { describe, expect, it } from 'vitest';
import { watchSession } from '../../src/index.ts';
import { isRecord, lineOf, untilResult } from '../support/followed.ts';
import { read } from '../support/makers.ts';
import { waitingSession } from '../support/waiting.ts';

describe('who follows a session', () => {
  it('is told the question, that the run waits, the answer and the rest, each once', async () => {
    const { session, store, sessionId, question } = await waitingSession({ questionTtlMs: 1e9 });
    await read(session); // still waits
    await session.answer('p1', { behavior: 'allow' });
    await read(session);

    const told = (await untilResult(watchSession({ store, sessionId }))).filter(isRecord);

    expect(told.map(lineOf)).toEqual(
      [
        ['run_started', 'user_message Pay.', 'message', 'question p1', 'run_waiting'],
        ['run_resumed', 'run_waiting'],
        ['run_resumed', 'permission p1', 'tool_started p1', 'tool_result p1', 'message', 'result'],
      ].flat(),
    );
    const { callId: id, agentPath, ...facts } = question;
    expect(told[3]).toMatchObject({ callId: id, agentPath, event: { type: 'question', id, ...facts } });
    expect(told[4]?.event).toMatchObject({ type: 'run_waiting', until: question.expiresAt });
  });
});
