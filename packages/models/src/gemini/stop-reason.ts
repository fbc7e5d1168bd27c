import type { AssistantMessage } from '@x/core';
import { type ErrorContext, ModelError } from '../wire/model-error.ts';

/** The end of a reply, as the service reports it. */
export interface Ending {
  /** `finishReason`; empty when missing. */
  readonly reason: string;
  readonly message: string;
  /** The prompt was refused, so that there is no reply. */
  readonly blocked: boolean;
}

/** `CONTINUATION` means that the reply has reached the limit of one request, and the rest would have to be requested. */
const LENGTH = ['MAX_TOKENS', 'CONTINUATION'];
const REFUSAL = [
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
];
/**
 * The model tried to call something, but its text is not a call. The service does not return the text, so the model cannot be shown what
 * was wrong, as with an input that fails its schema; a retry mostly succeeds. Hence a retryable error.
 */
const BROKEN = ['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE'];
/** A call of a function that was not declared. Where the service returns it, the model can be told. */
const UNKNOWN_CALL = 'UNEXPECTED_TOOL_CALL';
const TEXT_LIMIT = 500;

/** True when the reply was ended early. */
export function isCut(ending: Ending): boolean {
  return LENGTH.includes(ending.reason) || isRefusal(ending);
}

/** The stop reason of a reply. Unknown reasons count as `STOP`. */
export function stopReasonOf(ending: Ending, calls: number): AssistantMessage['stopReason'] {
  if (isRefusal(ending)) return 'refusal';
  if (LENGTH.includes(ending.reason)) return 'length';
  return calls > 0 ? 'tool_use' : 'end';
}

/** The error of a reply without a result: a broken call, or no content for a reason that is neither `STOP` nor a refusal. */
export function endingError(
  ending: Ending,
  content: AssistantMessage['content'],
  { provider }: ErrorContext,
): ModelError | undefined {
  const { reason, message } = ending;
  const saysNothing = content.every(({ type }) => type === 'thinking');
  const isBroken =
    BROKEN.includes(reason) || (reason === UNKNOWN_CALL && !content.some(({ type }) => type === 'tool_use'));
  if (isCut(ending) || reason === 'STOP' || reason === '') return undefined;
  if (!isBroken && !saysNothing) return undefined;
  const code = reason.slice(0, TEXT_LIMIT);
  const more = message === '' ? '' : `: ${message.slice(0, TEXT_LIMIT)}`;
  return new ModelError(`${provider} ended the reply with ${code}${more}`, {
    provider,
    retryable: true,
    details: { code },
  });
}

function isRefusal({ reason, blocked }: Ending): boolean {
  return blocked || REFUSAL.includes(reason);
}
