import type { AssistantMessage, RunRecord } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import type { RunSummary } from '@x/executor/internal';
import type { ModelPrices } from '@x/models';
import { type SessionState, scopeOf } from '../log/fold.ts';
import { costOfRecord } from '../log/usage.ts';
import { openQuestions } from '../questions/open-questions.ts';

/** Duration and cost of a run, which its log does not hold. */
export class RunTally {
  readonly #startedAt = performance.now();
  readonly #prices: ModelPrices | undefined;
  #cost: number | undefined;

  /** `isNew`: nothing was paid for the run earlier. */
  constructor({ prices, isNew }: { readonly prices?: ModelPrices | undefined; readonly isNew: boolean }) {
    this.#prices = prices;
    if (isNew) this.#cost = 0;
  }

  add(record: RunRecord): void {
    if (this.#cost === undefined) return;
    const cost = costOfRecord(record, this.#prices);
    this.#cost = cost === undefined ? undefined : this.#cost + cost;
  }

  /** US dollars of the model call that has made a reply. */
  costOf(message: AssistantMessage): number | undefined {
    return costOfRecord({ type: 'message', message }, this.#prices);
  }

  /** The summary for the result of the run, from its log and this tally. */
  summary(state: SessionState): RunSummary {
    const durationMs = Math.round(performance.now() - this.#startedAt);
    const usage = addUsage(noUsage(), state.runUsage);
    const { turns } = scopeOf(state, []);
    const cost = this.#cost === undefined ? {} : { cost: this.#cost };
    const questions = state.run?.waits ? { questions: openQuestions(state) } : {};
    return { usage, lastReply: lastReplyIn(state), turns, durationMs, ...cost, ...questions };
  }
}

function lastReplyIn(state: SessionState): AssistantMessage | undefined {
  const { messages, turns } = scopeOf(state, []);
  return turns > 0 ? messages.findLast((message) => message.role === 'assistant') : undefined;
}
