import { failureFacts, present } from '@x/core/internal';
import type { RunOutcome } from '@x/executor/internal';
import { answersForOpenCalls, type OpenRun, scopeOf } from '../log/fold.ts';
import type { SessionLog } from '../log/session-log.ts';
import { firstExpiry, openQuestions } from '../questions/open-questions.ts';
import { recordedAnswer } from './recorded-answer.ts';
import type { RunTally } from './run-tally.ts';

interface Ending {
  readonly open: OpenRun;
  readonly outcome: RunOutcome;
  readonly tally: RunTally;
}

/** Records the end of the run, after an answer to every call that a failure has left open; one that waits for answers stays open. */
export async function recordEnd(log: SessionLog, { open: { runId }, outcome, tally }: Ending): Promise<RunOutcome> {
  const { subtype } = outcome;
  if (subtype === 'waiting') return await leave(log, runId);
  const error = 'failure' in outcome ? { error: failureFacts(outcome.failure) } : {};
  try {
    const answers = answersForOpenCalls(log.state);
    if (answers.length > 0) await log.append(answers);
    else if (subtype === 'aborted') await log.settled(); // an aborted call writes what it has used, and nobody waits for that
    const { usage, durationMs, cost } = tally.summary(log.state);
    const facts = { usage, durationMs, ...present({ cost }), ...recordedAnswer(outcome) };
    const ended = log.append([{ type: 'run_ended', runId, subtype, ...facts, ...error }]);
    await Promise.all([ended, log.close()]); // both in one commit
    return outcome;
  } catch (failure) {
    // The log was lost: its present owner continues the run.
    return 'failure' in outcome ? outcome : { subtype: 'error', failure };
  }
}

/** Records that the run has nothing to do before one of its questions is answered. */
async function leave(log: SessionLog, runId: string): Promise<RunOutcome> {
  const messages = [...scopeOf(log.state, []).messages];
  try {
    const waits = present({ until: firstExpiry(openQuestions(log.state)) });
    await Promise.all([log.append([{ type: 'run_left', runId, waits }]), log.close()]); // both in one commit
    return { subtype: 'waiting', messages };
  } catch (failure) {
    return { subtype: 'error', failure };
  }
}
