import type { AssistantMessage } from '@x/core';
import { recordOf, textIn } from '../wire/json-values.ts';
import { type ErrorContext, ModelError } from '../wire/model-error.ts';
import { cutReply } from '../wire/reply-reader.ts';

/** The end of a reply: `reason` in the words of the AI SDK, `raw` in those of the service. */
export interface Ending {
  readonly reason: string;
  readonly raw: string;
}

/** Version 2 has a text, without the words of the service. */
export function endingOf(finishReason: unknown): Ending {
  const { unified, raw } = recordOf(finishReason) ?? {};
  return { reason: textIn(unified ?? finishReason), raw: textIn(raw) };
}

/** The stop reason of a whole reply. @throws ModelError for one that broke off or failed: it is never returned as whole */
export function stopReasonOf(
  { reason, raw }: Ending,
  calls: number,
  context: ErrorContext,
): AssistantMessage['stopReason'] {
  switch (reason) {
    case 'stop':
    case 'tool-calls':
      return calls > 0 ? 'tool_use' : 'end';
    case 'length':
      return 'length';
    case 'content-filter':
      return 'refusal';
    case 'other':
      if (raw !== '') return calls > 0 ? 'tool_use' : 'end'; // a reason of the service that the AI SDK has no word for
      throw cutReply(context);
    case 'error': {
      const { provider } = context;
      throw new ModelError(`${provider} gave the reply up${raw === '' ? '' : `: ${raw}`}`, {
        provider,
        retryable: true,
      });
    }
    case 'interrupted':
    case 'unknown':
    case '':
      throw cutReply(context);
    default: {
      const { provider } = context;
      const message = `${provider} ended the reply with a reason that is not known: ${reason}`;
      throw new ModelError(message, { provider, retryable: false });
    }
  }
}
