import {
  type AgentEvent,
  type AssistantMessage,
  type ResultMessage,
  type RunContext,
  type TokenUsage,
  textOf,
} from '@x/core';
import { failureFacts } from '@x/core/internal';
import type { Pipeline } from '@x/handlers';
import type { RunResult } from './run-options.ts';

/** How a run ended, its failure included. */
export type RunOutcome = RunResult | { readonly subtype: 'error'; readonly failure: unknown };

/** What the result of a run says besides how it ended. */
export interface RunSummary {
  /** Of all model calls of the run, those of subagents included. */
  readonly usage: TokenUsage;
  /** The last reply of the run itself. */
  readonly lastReply: AssistantMessage | undefined;
  readonly turns: number;
  readonly durationMs: number;
  /** US dollars; absent when a price is not known. */
  readonly cost?: number;
}

/** A run with its end told. */
export interface ConcludedRun {
  readonly outcome: RunOutcome;
  /** What its reader gets last: the `result`, behind an `error` when it failed. */
  readonly events: readonly AgentEvent[];
}

/** Shows the end of a run to its observers, before its reader gets it; an observer that fails makes it an error. */
export async function concludeRun(
  given: RunOutcome,
  { pipeline, run, summary }: { readonly pipeline: Pipeline; readonly run: RunContext; readonly summary: RunSummary },
): Promise<ConcludedRun> {
  let outcome = given;
  let events = endOf(outcome, run, summary);
  try {
    for (const event of events) await pipeline.notify(event, run);
  } catch (failure) {
    if (!('failure' in outcome)) outcome = { subtype: 'error', failure };
    events = endOf(outcome, run, summary);
  }
  return { outcome, events };
}

function endOf(outcome: RunOutcome, { messageId }: RunContext, summary: RunSummary): readonly AgentEvent[] {
  const { usage, lastReply, turns, durationMs, cost } = summary;
  const { subtype } = outcome;
  const said = lastReply ? { model: lastReply.model, stopReason: lastReply.stopReason } : {};
  const paid = cost === undefined ? {} : { cost };
  const facts: ResultMessage = { type: 'result', subtype, messageId, usage, ...said, durationMs, ...paid, turns };
  if ('failure' in outcome) {
    const failure = failureFacts(outcome.failure);
    const { message: error, ...code } = failure;
    return [
      { type: 'error', ...failure },
      { ...facts, error, ...code },
    ];
  }
  const content = outcome.content ?? (lastReply && textOf(lastReply));
  const structured = Object.hasOwn(outcome, 'structured') ? { structured: outcome.structured } : {};
  return [{ ...facts, ...(content === undefined ? {} : { content }), ...structured }];
}
