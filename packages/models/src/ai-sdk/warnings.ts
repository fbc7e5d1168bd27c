import type { AgentEvent } from '@x/core';
import { recordOf, textIn } from '../wire/json-values.ts';
import { type ErrorContext, ModelError } from '../wire/model-error.ts';

type Notification = Extract<AgentEvent, { type: 'notification' }>;

/**
 * Events for warnings of the AI SDK about a request, `model_warning`. @throws ModelError for something that was asked for and that the model
 * does not do: it is refused, never ignored
 */
export function warningEvents(warnings: unknown, context: ErrorContext): readonly Notification[] {
  return (Array.isArray(warnings) ? warnings : []).map((warning: unknown) => {
    const facts = recordOf(warning) ?? {};
    const what = textIn(facts['feature'] ?? facts['setting'] ?? recordOf(facts['tool'])?.['name']);
    const why = textIn(facts['details'] ?? facts['message']);
    const text = [what, why].filter((piece) => piece !== '').join(': ');
    if (textIn(facts['type']).startsWith('unsupported')) {
      const { provider } = context;
      throw new ModelError(`${provider} does not support ${text}; leave it out`, { provider, retryable: false });
    }
    return warningEvent(`${context.provider}: ${text}`);
  });
}

/** A notice to the host about a reply. */
export function warningEvent(message: string): Notification {
  return { type: 'notification', kind: 'model_warning', message };
}
