import {
  type AgentEvent,
  type AssistantMessage,
  type Question,
  type RunContext,
  type TokenUsage,
  textOf,
} from '@x/core';
import { failureFacts } from '@x/core/internal';
import type { Pipeline } from '@x/handlers';
import type { RunResult } from './run-options.ts';

/** The end of a run, including a failure. */
export type RunOutcome = RunResult | { readonly subtype: 'error'; readonly failure: unknown };

/** Further facts for the result of a run. */
export interface RunSummary {
  /** Usage of all model calls of the run, those of subagents included. */
  readonly usage: TokenUsage;
  /** The last reply of the run itself. */
  readonly lastReply: AssistantMessage | undefined;
  readonly turns: number;
  readonly durationMs: number;
  /** US dollars; absent when a price is not known. */
  readonly cost?: number;
  /** Of a run that waits for answers. */
  readonly questions?: readonly Question[];
}

/** A run whose end was reported. */
export interface ConcludedRun {
  readonly outcome: RunOutcome;
  /** The last events for the reader: the `result`, after an `error` when it failed. */
  readonly events: readonly AgentEvent[];
}

/** Passes the end of a run to its observers, before its reader gets it; an observer that fails makes it an error. */
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
  const said = lastReply ? { model: lastReply.model, stopReason: lastReply.stopReason } : {};
  const paid = cost === undefined ? {} : { cost };
  const facts = { type: 'result', messageId, usage, ...said, durationMs, ...paid, turns } as const;
  if ('failure' in outcome) {
    const failure = failureFacts(outcome.failure);
    const { message: error, ...code } = failure;
    return [
      { type: 'error', ...failure },
      { ...facts, subtype: 'error', error, ...code },
    ];
  }
  const { subtype } = outcome;
  if (subtype === 'waiting') return [{ ...facts, subtype, questions: summary.questions ?? [] }];
  const content = outcome.content ?? (lastReply && textOf(lastReply));
  const structured = Object.hasOwn(outcome, 'structured') ? { structured: outcome.structured } : {};
  return [{ ...facts, subtype, ...(content === undefined ? {} : { content }), ...structured }];
}
