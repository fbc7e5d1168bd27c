import type { Question, ResultMessage } from '@x/core';
import { present } from '@x/core/internal';
import type { AGUIEvent, AGUIUsage } from './ag-ui-event.ts';
import { interruptOf } from './ag-ui-history.ts';

/** The last event of a run: its result, or its open questions. */
export function lastOf(
  ended: ResultMessage | undefined,
  run: { readonly threadId: string; readonly runId: string },
  questions: readonly Question[],
): AGUIEvent {
  if (!ended)
    return { type: 'RUN_FINISHED', ...run, outcome: { type: 'interrupt', interrupts: questions.map(interruptOf) } };
  const { subtype, error, code, content, structured, cost, durationMs } = ended;
  const usage = [usageOf(ended)];
  if (subtype === 'error')
    return { type: 'RUN_ERROR', message: error || 'The run has failed', ...present({ code }), usage };
  if (subtype === 'aborted') return { type: 'RUN_FINISHED', ...run, outcome: { type: 'cancelled' }, usage };
  const result = { subtype, ...present({ content, structured, cost, durationMs }) };
  return { type: 'RUN_FINISHED', ...run, outcome: { type: 'success' }, result, usage };
}

function usageOf({ usage, model }: ResultMessage): AGUIUsage {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const cached = present({
    reasoningTokens,
    cachedInputTokens: cacheReadTokens,
    cacheWriteInputTokens: cacheWriteTokens,
  });
  return { ...present({ model }), inputTokens, outputTokens, totalTokens, ...cached };
}
