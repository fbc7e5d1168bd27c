import {
  type AgentEvent,
  type AssistantMessage,
  addUsage,
  failureFacts,
  noUsage,
  type ResultMessage,
  type RunRecord,
  textOf,
} from '@x/core';
import type { RunResult } from '@x/executor';
import type { ModelPrices } from '@x/models';
import { type OpenRun, type SessionState, scopeOf } from '../log/fold.ts';
import { costOfRecord } from '../log/usage.ts';

/** How a run ended, its failure included. */
export type Outcome = RunResult | { readonly subtype: 'error'; readonly failure: unknown };

/** Characters of an error's message that are recorded and told. */
const MAX_ERROR_LENGTH = 10_000;

/** What a run says of itself that its log does not hold: how long it took, and what it has cost. */
export class RunTally {
  readonly #startedAt = performance.now();
  readonly #prices: ModelPrices | undefined;
  #cost: number | undefined;

  /** `isNew`: nothing was paid for the run before. */
  constructor({ prices, isNew }: { readonly prices?: ModelPrices | undefined; readonly isNew: boolean }) {
    this.#prices = prices;
    if (isNew) this.#cost = 0;
  }

  add(record: RunRecord): void {
    if (this.#cost === undefined) return;
    const cost = costOfRecord(record, this.#prices);
    this.#cost = cost === undefined ? undefined : this.#cost + cost;
  }

  facts(): Pick<ResultMessage, 'cost' | 'durationMs'> {
    const durationMs = Math.round(performance.now() - this.#startedAt);
    return { durationMs, ...(this.#cost === undefined ? {} : { cost: this.#cost }) };
  }
}

/** The last event of a run. */
export function resultOf(
  state: SessionState,
  { messageId }: OpenRun,
  { outcome, tally }: { readonly outcome: Outcome; readonly tally: RunTally },
): ResultMessage {
  const { subtype } = outcome;
  const reply = lastReply(state);
  const { turns } = scopeOf(state, []);
  const said = reply ? { model: reply.model, stopReason: reply.stopReason } : {};
  const usage = addUsage(noUsage(), state.runUsage);
  const facts = { type: 'result' as const, subtype, messageId, usage, ...said, ...tally.facts(), turns };
  if ('failure' in outcome) {
    const { message: error, ...failure } = failureFacts(outcome.failure);
    return { ...facts, error, ...failure };
  }
  const content = outcome.content ?? (reply && textOf(reply));
  const structured = Object.hasOwn(outcome, 'structured') ? { structured: outcome.structured } : {};
  return { ...facts, ...(content === undefined ? {} : { content }), ...structured };
}

export function errorEvent(failure: unknown): AgentEvent {
  return { type: 'error', ...recordedFailure(failure) };
}

/** The facts of a failure as a log can hold them: an entry has a limit, and an error may quote anything. */
export function recordedFailure(failure: unknown): ReturnType<typeof failureFacts> {
  const facts = failureFacts(failure);
  return { ...facts, message: facts.message.slice(0, MAX_ERROR_LENGTH) };
}

function lastReply(state: SessionState): AssistantMessage | undefined {
  const { messages, turns } = scopeOf(state, []);
  return turns > 0 ? messages.findLast((message) => message.role === 'assistant') : undefined;
}
