import { ValidationError } from '@x/core';
import { isKeyed } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import { type RunStreamOptions, runStream } from '../follow/run-stream.ts';
import type { QuestionAnswer } from '../questions/answer-question.ts';
import type { AGUIEvent } from './ag-ui-event.ts';
import { AGUIRun } from './ag-ui-run.ts';

export type { AGUIEvent, AGUIInterrupt, AGUIMessage, AGUIUsage } from './ag-ui-event.ts';
/** Selects the run of `toAGUIStream`. */
export type AGUIStreamOptions = RunStreamOptions;

/**
 * One run of a session as events of the AG-UI protocol, which `HttpAgent` of `@ag-ui/client` reads as `data:` lines of JSON: the one that
 * takes the message `messageId`, or the first one behind `from`, either also when it is still to come; without both the last one, after
 * the conversation before it (`MESSAGES_SNAPSHOT`), for a page that is loaded again. Whoever runs it: cancelling the stream leaves the run
 * alone. A run that waits ends its stream with its open questions as interrupts; `answersTo` reads what `resume` says to them. Fails with
 * the errors of `watchSession`. @throws ValidationError
 */
export function toAGUIStream(options: AGUIStreamOptions): ReadableStream<AGUIEvent> {
  return runStream(options, () => new AGUIRun(options.messageId));
}

/** The answers in the `resume` of a run's input, for `session.answer` or `answerQuestion`. @throws ValidationError */
export function answersTo(
  resume: readonly { readonly interruptId: string; readonly status: string; readonly payload?: unknown }[] = [],
): { readonly callId: string; readonly answer: QuestionAnswer }[] {
  checkValue('resume', resume, RESUME);
  return resume.map(({ interruptId: callId, status, payload }) => {
    if (status === 'cancelled') return { callId, answer: { behavior: 'deny' } };
    if (status !== 'resolved')
      throw new ValidationError(`resume.status must be 'resolved' or 'cancelled', not '${status}'`, 'resume');
    const { approved, message, ...said } = (payload ?? {}) as Payload; // safe: `answerQuestion` checks the rest
    if (approved === undefined) return { callId, answer: said };
    const why = typeof message === 'string' && message !== '' ? { message } : {};
    return { callId, answer: approved === true ? { behavior: 'allow' } : { behavior: 'deny', ...why } };
  });
}
/** It comes from a browser. */
const RESUME = is.rule(
  'a list of { interruptId, status }, each with an id as text',
  (items) => Array.isArray(items) && items.every((one) => isKeyed(one) && typeof one['interruptId'] === 'string'),
);

interface Payload {
  readonly approved?: unknown;
  readonly message?: unknown;
}
