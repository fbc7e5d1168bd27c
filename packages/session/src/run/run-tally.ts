import type { AssistantMessage, RunRecord } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import type { RunSummary } from '@x/executor/internal';
import type { ModelPrices } from '@x/models';
import { type SessionState, scopeOf } from '../log/fold.ts';
import { readBody } from '../log/large-body.ts';
import type { SessionStore } from '../log/session-store.ts';
import { readWhileSlow } from '../log/slow-store.ts';
import { costOfRecord } from '../log/usage.ts';
import { openQuestions } from '../questions/open-questions.ts';

/** Entries that are read first for the cost of a run: few runs are longer. */
const TAIL = 256;

/** Where the records of a run are; `signal` ends the wait for them. */
interface RunLog {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** Duration and cost of a run. */
export class RunTally {
  readonly #startedAt = performance.now();
  readonly #prices: ModelPrices | undefined;
  #cost: number | undefined = 0;

  constructor(prices: ModelPrices | undefined) {
    this.#prices = prices;
  }

  /** US dollars of the calls so far, subagents included; undefined when the price of one is not known. */
  get cost(): number | undefined {
    return this.#cost;
  }

  /** Adds what an open run has cost in other processes; waits for a slow store. */
  async addPast(log: RunLog, { head, runUsage }: SessionState): Promise<void> {
    if (runUsage.totalTokens > 0) await readWhileSlow(() => this.#readPast(log, head), log.signal);
  }

  async #readPast({ store, sessionId }: RunLog, head: number): Promise<void> {
    for (let [size, isWhole] = [TAIL, false]; !isWhole; size *= 8) {
      const after = Math.max(0, head - size);
      isWhole = after === 0;
      this.#cost = 0;
      for await (const { body: stored } of store.read(sessionId, { after })) {
        const body = await readBody(store, sessionId, stored);
        if (body.type === 'run_started') [this.#cost, isWhole] = [0, true];
        else if (body.type === 'record') this.add(body.record);
      }
    }
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
