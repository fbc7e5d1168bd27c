import type { AgentEvent, Journal, RunContext, ToolCall } from '@x/core';
import { answerNote, callWaits, present, type QuestionFacts, questionNote } from '@x/core/internal';
import { sha256OfJson } from '../sha256-of-json.ts';
import { readAnswer } from './read-answer.ts';

/** The party that has answered, for texts. */
export const ANSWER = 'the answer to its question';

/** Options of questions that wait for days: the run ends, and its journal keeps them. */
export interface QuestionOptions {
  /**
   * `wait`: a call that is asked about and that nobody has answered waits for an answer. `refuse` (default): it is refused, and only
   * `canUseTool` can let it wait.
   */
  readonly askPolicy?: 'refuse' | 'wait';
  /** Milliseconds after which a question is answered by a refusal. Default: never. */
  readonly ttlMs?: number;
}
/** The content of the note `answer:<callId>`. */
export interface AnswerNote {
  /** The question that it answers: its key, and when it was asked, for the same may be asked twice. */
  readonly key: string;
  readonly askedAt: number;
  /** For a permission, as `canUseTool` would give it. */
  readonly answer: unknown;
}

/**
 * The state of the question about a call that this key identifies: its answer, `open` while it has none, `expired`; undefined when it was
 * not asked, or about something else.
 */
export function questionState(
  { id }: ToolCall,
  key: string,
  { journal }: RunContext,
): 'open' | 'expired' | { readonly answer: unknown } | undefined {
  const { asked, given } = notesAbout(id, journal);
  if (!asked || asked.key !== key) return undefined;
  if (given) return { answer: given.answer };
  return asked.expiresAt !== undefined && asked.expiresAt <= Date.now() ? 'expired' : 'open';
}

/** True for the answer to this very question. */
export function isAnswerTo(given: AnswerNote, asked: QuestionFacts): boolean {
  return given.key === asked.key && given.askedAt === asked.askedAt;
}

/** True when a question about the call was recorded, and not taken back. */
export function hasQuestion({ id }: ToolCall, { journal }: RunContext): boolean {
  const asked = journal.past.note(questionNote(id));
  return asked !== undefined && asked !== null;
}

/** The refusal of a person, which holds whatever the call, the rules and the mode have become; undefined without one. */
export function refusedByPerson({ id }: ToolCall, { journal }: RunContext): string | undefined {
  const { given } = notesAbout(id, journal);
  const answer = given && readAnswer(given.answer, ANSWER);
  return answer?.behavior === 'deny' ? answer.message : undefined;
}

/** The question about a call, and the answer to that very question. */
function notesAbout(id: string, { past }: Journal): { readonly asked?: QuestionFacts; readonly given?: AnswerNote } {
  const asked = past.note(questionNote(id)) as QuestionFacts | null | undefined; // safe: written below, or taken back
  const given = past.note(answerNote(id)) as AnswerNote | null | undefined; // safe: written by the session, or taken back
  if (!asked) return {};
  return given && isAnswerTo(given, asked) ? { asked, given } : { asked };
}

/** Records the question, tells it, and leaves the call. @throws AgentError, always: the call waits */
export async function* askAndWait(
  { id }: ToolCall,
  asked: Omit<QuestionFacts, 'askedAt' | 'expiresAt' | 'agentName'>,
  { run, ttlMs }: { readonly run: RunContext; readonly ttlMs: number | undefined },
): AsyncGenerator<AgentEvent, never, void> {
  const askedAt = Date.now();
  const expiresAt = ttlMs === undefined ? undefined : askedAt + ttlMs;
  const facts: QuestionFacts = { ...asked, agentName: run.agentName, askedAt, ...present({ expiresAt }) };
  await run.journal.write({ type: 'note', name: questionNote(id), data: facts });
  yield { type: 'question', id, ...facts };
  throw callWaits(id);
}

/** A key for questions of tools themselves. Undefined for an input that JSON cannot represent. */
export async function keyOfCall({ name, workspace, input }: ToolCall): Promise<string | undefined> {
  return await sha256OfJson([name, workspace.cwd, input]);
}
