import type { Question } from '@x/core';
import { answerNote, askedBy, notRun, type QuestionFacts } from '@x/core/internal';
import { type AnswerNote, isAnswerTo } from '@x/handlers/internal';
import type { EntryBody } from '../log/entry.ts';
import { answersForOpenCalls, type SessionState, scopeFrom } from '../log/fold.ts';

/** All questions of the run under way that have no answer in the log, oldest first. */
export function openQuestions({ scopes }: SessionState): Question[] {
  const found: Question[] = [];
  for (const [key, { calls, notes }] of scopes) {
    if (!calls) continue;
    for (const [name, data] of notes) {
      const callId = askedBy(name);
      if (callId === undefined || calls.get(callId)?.state === 'finished') continue;
      const asked = data as QuestionFacts | null; // safe: written by the handlers, or taken back
      const given = notes.get(answerNote(callId)) as AnswerNote | undefined; // safe: written by `takeAnswers`
      if (asked && (!given || !isAnswerTo(given, asked))) found.push({ ...asked, callId, agentPath: scopeFrom(key) });
    }
  }
  return found.toSorted((one, other) => one.askedAt - other.askedAt);
}

/** The message id of the answer to a question: the store takes one of each id, so the first answer is the only one. */
export function answerId({ callId, key, askedAt }: Question): string {
  return `answer:${askedAt}:${key}:${callId}`;
}

/** When the first of these questions expires, in milliseconds since 1970; undefined when none does. */
export function firstExpiry(questions: readonly Question[]): number | undefined {
  const times = questions.flatMap(({ expiresAt }) => expiresAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Answers for the calls that wait, and for those behind them: a newer message has come first. */
export function withdrawn(state: SessionState): EntryBody[] {
  const asked = new Set(openQuestions(state).map(({ callId }) => callId));
  if (asked.size === 0) return [];
  return answersForOpenCalls(state, ({ id, name }, call) => {
    if (call) return undefined; // it has begun
    const output = `${name} was not run: its question was withdrawn, because a newer message came before the answer`;
    return asked.has(id) ? { output, isError: true, interrupted: 'not_run' } : notRun(name);
  });
}
