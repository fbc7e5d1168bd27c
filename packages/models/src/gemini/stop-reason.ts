import type { AssistantMessage } from '@x/core';
import { type ErrorContext, ModelError } from '../wire/model-error.ts';

/** How a reply ended, as the service tells it. */
export interface Ending {
  /** `finishReason`; empty when there was none. */
  readonly reason: string;
  readonly message: string;
  /** The prompt was refused, so that there is no reply. */
  readonly blocked: boolean;
}

/** A reply that ends with `CONTINUATION` has come to the limit of one request; the rest would have to be asked for. */
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
 * The model meant to call something, and what it wrote is no call. The service shows none of it, so that the model cannot be told
 * what was wrong, as it is told of an input that fails its schema; asked again it mostly writes a good one. Hence an error to be retried.
 */
const BROKEN = ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'];
const TEXT_LIMIT = 500;

/** Whether the reply was ended before its time. */
export function isCut(ending: Ending): boolean {
  return LENGTH.includes(ending.reason) || isRefusal(ending);
}

/** Why the reply ended. Reasons that are not known end it as `STOP` does. */
export function stopReasonOf(ending: Ending, calls: number): AssistantMessage['stopReason'] {
  if (isRefusal(ending)) return 'refusal';
  if (LENGTH.includes(ending.reason)) return 'length';
  return calls > 0 ? 'tool_use' : 'end';
}

/** The error of a reply that came to nothing: a broken call, or no word for a reason that is neither `STOP` nor a refusal. */
export function endingError(ending: Ending, saysNothing: boolean, { provider }: ErrorContext): ModelError | undefined {
  const { reason, message } = ending;
  if (isCut(ending) || reason === 'STOP' || reason === '') return undefined;
  if (!BROKEN.includes(reason) && !saysNothing) return undefined;
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
