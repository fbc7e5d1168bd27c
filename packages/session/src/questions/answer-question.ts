import { type Question, SessionError, userMessage, ValidationError } from '@x/core';
import { checkJsonValue } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { parseRules } from '@x/handlers';
import { readState } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import { whileSlow } from '../log/slow-store.ts';
import { STORE, type StoreOptions, usingStore } from '../store/using-store.ts';
import { type AskUserAnswer, checkAskUserAnswer } from './ask-user.ts';
import { answerId, openQuestions } from './open-questions.ts';

/** The answer of a person to one question: whether a call may run, or what `AskUser` has asked. */
export type QuestionAnswer = (
  | {
      readonly behavior: 'allow';
      /** Replaces the input, and is judged again. */
      readonly updatedInput?: unknown;
      /** Rules that allow from now on, such as `suggestedRule`. */
      readonly remember?: readonly string[];
    }
  /** `message` is for the model. */
  | { readonly behavior: 'deny'; readonly message?: string }
  | AskUserAnswer
) & {
  /** The `key` of the question that the person has seen: should the call ask something else by now, the answer is refused. */
  readonly key?: string;
};

/** Options of `answerQuestion`. */
export interface AnswerOptions extends StoreOptions {
  readonly sessionId: string;
  /** The call that the question is about. */
  readonly callId: string;
  readonly answer: QuestionAnswer;
}

/** Milliseconds for which a slow store is waited for. */
const PATIENCE_MS = 30_000;
const ANSWER_OPTIONS: OptionRules<AnswerOptions> = {
  store: STORE,
  sessionId: is.required(is.text, 'the id of a session'),
  callId: is.required(is.text, 'the id of the call that the question is about'),
  answer: is.anything, // `checkAnswer` checks it
};

/**
 * Records the answer to a question, from any process, while the session is run too; durable when it resolves. The next run goes on at that
 * very call. The first answer counts.
 * @throws ValidationError for an answer that does not fit the question; SessionError `QUESTION_NOT_OPEN` (also for a question about another
 * input than the one with `key`), `QUESTION_ANSWERED`, `QUESTION_EXPIRED`, `SESSION_NOT_FOUND`
 */
export async function answerQuestion(options: AnswerOptions): Promise<void> {
  checkOptions('The options', options, ANSWER_OPTIONS);
  const answer = checkShape(options.answer);
  await usingStore(options, (store) => answerIn(store, options, answer));
}

async function answerIn(
  store: SessionStore,
  { sessionId, callId }: AnswerOptions,
  { key, ...answer }: Given,
): Promise<void> {
  const limit = performance.now() + PATIENCE_MS;
  const slowly = <T>(act: () => Promise<T>) => whileSlow(act, { until: () => limit });
  const all = openQuestions(await slowly(() => readState(store, sessionId)));
  const isStopped = (await slowly(() => store.inbox(sessionId))).some(({ priority }) => priority === 'now');
  const questions = isStopped ? [] : all; // they are withdrawn by that message
  const question = questions.find((one) => one.callId === callId);
  if (!question || (key !== undefined && key !== question.key)) throw notOpen(callId, question, questions);
  if (question.expiresAt !== undefined && question.expiresAt <= Date.now()) {
    const at = new Date(question.expiresAt).toISOString();
    const message = `The question about ${callId} has expired at ${at}; the call is refused when the session goes on`;
    throw new SessionError(message, { code: 'QUESTION_EXPIRED', details: { expiresAt: question.expiresAt } });
  }
  checkFits(answer, question);
  const message = { ...userMessage(''), id: answerId(question) };
  const item = { message, priority: 'later', answer: { callId, answer } } as const; // it cannot join a run as a message does
  const isFirst = await slowly(() => store.enqueue(sessionId, item));
  if (isFirst) return;
  throw new SessionError(`The question about ${callId} has been answered already; the first answer counts`, {
    code: 'QUESTION_ANSWERED',
  });
}

function notOpen(callId: string, question: Question | undefined, questions: readonly Question[]): SessionError {
  const open = questions.map((one) => one.callId);
  const others = open.length > 0 ? `open are those about ${open.slice(0, 10).join(', ')}` : 'none is open';
  const message = question
    ? `The call ${callId} asks something else by now: read its question again, and answer that`
    : `No question about ${callId} is open in this session: it was never asked, was answered, or was withdrawn; ${others}`;
  return new SessionError(message, { code: 'QUESTION_NOT_OPEN', details: { open } });
}

type Given = Readonly<Record<string, unknown>> & { readonly key?: string };

const BEHAVIOR = is.required(is.oneOf('allow', 'deny'));
const KEY = is.text;
const ALLOW: OptionRules<Extract<QuestionAnswer, { behavior: 'allow' }>> = {
  behavior: BEHAVIOR,
  updatedInput: is.anything,
  remember: is.listOf(is.text, 'a list of rules'),
  key: KEY,
};
const DENY: OptionRules<Extract<QuestionAnswer, { behavior: 'deny' }>> = {
  behavior: BEHAVIOR,
  message: is.text,
  key: KEY,
};

/** A copy, checked: the host's object may be anything. @throws ValidationError */
function checkShape(given: QuestionAnswer): Given {
  const answer = copyOf(given);
  const { behavior } = (answer ?? {}) as { readonly behavior?: unknown }; // safe: read as unknown
  if (behavior === undefined && answer) checkAskUserAnswer(answer as AskUserAnswer, KEY);
  else {
    checkValue('answer', answer, is.required(is.shape({ behavior: BEHAVIOR })));
    checkOptions('answer', answer, behavior === 'allow' ? ALLOW : DENY, 'answer');
  }
  checkJsonValue(answer, 'The answer');
  if ('remember' in answer) parseRules([...(answer.remember ?? [])], { field: 'answer.remember', home: '/' });
  return answer as Given; // safe: checked
}

function copyOf(answer: QuestionAnswer): QuestionAnswer {
  try {
    return structuredClone(answer);
  } catch (cause) {
    throw new ValidationError('answer must be plain JSON', 'answer', { cause });
  }
}

/** @throws ValidationError for an answer of the other kind, and for choices that were not offered */
function checkFits(answer: Given, question: Question): void {
  const isPermission = answer['behavior'] !== undefined;
  if (question.kind === 'permission') {
    if (!isPermission)
      throw new ValidationError(
        `${question.toolName} waits for a permission: answer { behavior: 'allow' } or { behavior: 'deny' }`,
        'answer.behavior',
      );
    return;
  }
  if (answer['behavior'] === 'deny') return;
  if (isPermission)
    throw new ValidationError(
      "Answer a question of the model with { text } or { choices }, or { behavior: 'deny' }",
      'answer',
    );
  const offered = (question.input as { readonly choices?: readonly string[]; readonly multiple?: boolean }) ?? {};
  const chosen = (answer as AskUserAnswer).choices ?? [];
  const odd = chosen.find((one) => !offered.choices?.includes(one));
  if (odd !== undefined)
    throw new ValidationError(
      `${JSON.stringify(odd)} was not offered; the choices are ${JSON.stringify(offered.choices ?? [])}`,
      'answer.choices',
    );
  if (chosen.length > 1 && !offered.multiple)
    throw new ValidationError('One choice was asked for; several are possible only with multiple', 'answer.choices');
}
