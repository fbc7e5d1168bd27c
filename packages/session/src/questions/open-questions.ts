import type { Question, ToolResult } from '@x/core';
import { answerNote, askedBy, notRun, type QuestionFacts } from '@x/core/internal';
import { type AnswerNote, isAnswerTo } from '@x/handlers/internal';
import type { EntryBody } from '../log/entry.ts';
import { answersForOpenCalls, type SessionState, scopeFrom, scopeKey } from '../log/fold.ts';

/** All questions of the run under way that have no answer in the log, oldest first. */
export function openQuestions(state: SessionState): Question[] {
  return questionsIn(state).flatMap(({ question, isAnswered }) => (isAnswered ? [] : [question]));
}

/** The questions about calls without a result, oldest first. */
function questionsIn({ scopes }: SessionState): { readonly question: Question; readonly isAnswered: boolean }[] {
  const found: { readonly question: Question; readonly isAnswered: boolean }[] = [];
  for (const [key, { calls, notes }] of scopes) {
    if (!calls || !isUnderWay(scopeFrom(key), scopes)) continue;
    for (const [name, data] of notes) {
      const callId = askedBy(name);
      if (callId === undefined || calls.get(callId)?.state === 'finished') continue;
      const asked = questionIn(data);
      const given = notes.get(answerNote(callId)) as AnswerNote | null | undefined; // safe: written by `takeAnswers`
      if (!asked) continue;
      const question = { ...asked, callId, agentPath: scopeFrom(key) };
      found.push({ question, isAnswered: !!given && isAnswerTo(given, asked) });
    }
  }
  return found.toSorted((one, other) => one.question.askedAt - other.question.askedAt);
}

/** False for a subagent whose call was answered in another way meanwhile. */
function isUnderWay(path: readonly string[], scopes: SessionState['scopes']): boolean {
  return path.every(
    (callId, depth) => scopes.get(scopeKey(path.slice(0, depth)))?.calls?.get(callId)?.state === 'started',
  );
}

/** A note that was taken back is null; a damaged log may hold anything. */
function questionIn(data: unknown): QuestionFacts | undefined {
  const { key, askedAt, toolName } = (data ?? {}) as Partial<QuestionFacts>; // safe: each field is looked at
  const isOne = typeof key === 'string' && typeof askedAt === 'number' && typeof toolName === 'string';
  return isOne ? (data as QuestionFacts) : undefined; // safe: written by the handlers
}

/** When the first of these questions expires, in milliseconds since 1970; undefined when none does. */
export function firstExpiry(questions: readonly Question[]): number | undefined {
  const times = questions.flatMap(({ expiresAt }) => expiresAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The message id of the answer to a question: the store takes one of each id, so the first answer is the only one. */
export function answerId({ callId, key, askedAt }: Question): string {
  return `answer:${askedAt}:${key}:${callId}`;
}

/** Answers for the calls that wait, for those behind them, and for the tasks of subagents around them: a newer message has come first. */
export function withdrawn(state: SessionState): EntryBody[] {
  const questions = questionsIn(state);
  const isAnswered = new Map(questions.map(({ question, ...rest }) => [question.callId, rest.isAnswered]));
  if (![...isAnswered.values()].includes(false)) return [];
  const tasks = new Set([...state.scopes.keys()].map((key) => scopeFrom(key).at(-1)));
  return answersForOpenCalls(state, ({ id, name }, call) => {
    if (isAnswered.get(id)) return undefined; // what was answered before stays in force
    if (isAnswered.has(id))
      return refusal(`${name} was not run: its question was withdrawn, because a newer message came first`);
    if (!call) return notRun(name);
    if (!tasks.has(id)) return undefined; // it has begun, and has no question
    return {
      ...refusal(`${name} was stopped where a question was open, because a newer message came first`),
      interrupted: 'unknown',
    };
  });
}

function refusal(output: string): ToolResult {
  return { output, isError: true, interrupted: 'not_run' };
}
