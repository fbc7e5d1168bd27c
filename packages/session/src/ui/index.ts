import { isKeyed } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import { type RunStreamOptions, runStream } from '../follow/run-stream.ts';
import type { QuestionAnswer } from '../questions/answer-question.ts';
import type { UIChunk } from './ui-chunk.ts';
import { UIMessage } from './ui-message.ts';

export type { UIChunk, UIMetadata } from './ui-chunk.ts';
/** Selects the run of `toUIMessageStream`. */
export type UIMessageStreamOptions = RunStreamOptions;

/**
 * One run of a session as the stream that `useChat` of `@ai-sdk/react` reads, whoever runs it: the one that takes the message `messageId`,
 * or the first one behind `from`, either also when it is still to come; without both the last one, from its beginning, for a page that is
 * loaded again. It is one message, whose id is that of the run. The stream ends with the run, or when that waits for answers, which a later
 * message has to wait for too; cancelling it leaves the run alone. Subagents stand behind the call that has started them. Fails with the
 * errors of `watchSession`. @throws ValidationError
 */
export function toUIMessageStream(options: UIMessageStreamOptions): ReadableStream<UIChunk> {
  return runStream(options, () => new UIMessage());
}

/**
 * The answers that a person has given in an interface: for `session.answer` or `answerQuestion`. `parts`: those of its last message.
 * @throws ValidationError
 */
export function approvalsIn(parts: readonly object[]): { readonly callId: string; readonly answer: QuestionAnswer }[] {
  checkValue('parts', parts, PARTS);
  return parts.flatMap((part) => {
    const { state, approval } = part as Partial<Responded>; // safe: each field is looked at
    if (state !== 'approval-responded' || typeof approval?.id !== 'string') return [];
    const { id: callId, approved, reason } = approval;
    const said = typeof reason === 'string' && reason !== '' ? { message: reason } : {};
    const answer: QuestionAnswer = approved === true ? { behavior: 'allow' } : { behavior: 'deny', ...said };
    return [{ callId, answer }];
  });
}

/** They come from a browser. */
const PARTS = is.required(is.rule('a list of objects', (parts) => Array.isArray(parts) && parts.every(isKeyed)));

/** A part of a tool in a message of the `ai` package, unchecked. */
interface Responded {
  readonly state: unknown;
  readonly approval: { readonly id?: unknown; readonly approved?: unknown; readonly reason?: unknown };
}
