import type { Message, RunContext } from '@x/core';
import { type CompactionOutcome, compact } from './compact.ts';
import { type CompactionOptions, compactionRules } from './compaction-options.ts';
import { contextTokens } from './estimate-tokens.ts';

/**
 * Compacts a history on request, however short it is, as the command `/compact` does. Events go to `run.emit`.
 * @throws AgentError `COMPACTION_FAILED` without a summary, AbortError when the run is aborted, ValidationError for invalid options
 */
export async function compactNow(
  messages: readonly Message[],
  run: RunContext,
  options: CompactionOptions,
): Promise<CompactionOutcome> {
  return await compact(messages, {
    run,
    rules: compactionRules('compactNow', options),
    trigger: 'manual',
    tokens: contextTokens(messages),
    force: true,
    signal: run.signal,
    tell: (event) => run.emit(event),
  });
}
