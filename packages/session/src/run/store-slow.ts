import type { AgentEvent, RunContext } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { Pipeline } from '@x/handlers';
import { SlowStretch } from '../log/slow-store.ts';

export type Notice = Extract<AgentEvent, { type: 'notification' }>;

/** The notice that a session begins to wait for its store. */
export function storeSlow(sessionId: string, error: unknown): Notice {
  const message = `Session ${sessionId} waits for its store: ${messageOf(error)}`;
  return { type: 'notification', kind: 'store_slow', message };
}

export interface RunSlownessOptions {
  readonly sessionId: string;
  readonly onNotice: (notice: Notice) => void;
  /** Called with errors of observers. */
  readonly onFailed: (error: unknown) => void;
}

/** Reports immediately that a run begins to wait for its store, also in the middle of a tool; observers get it as soon as there are any. */
export class RunSlowness {
  readonly stretch: SlowStretch;
  readonly #onFailed: (error: unknown) => void;
  readonly #early: Notice[] = [];
  #observers: { readonly pipeline: Pipeline; readonly run: RunContext } | undefined;

  constructor({ sessionId, onNotice, onFailed }: RunSlownessOptions) {
    this.#onFailed = onFailed;
    this.stretch = new SlowStretch((error) => {
      const notice = storeSlow(sessionId, error);
      onNotice(notice);
      if (this.#observers) this.#show(notice, this.#observers);
      else this.#early.push(notice);
    });
  }

  showTo(pipeline: Pipeline, run: RunContext): void {
    this.#observers = { pipeline, run };
    for (const notice of this.#early) run.emit(notice);
  }

  #show(notice: Notice, { pipeline, run }: { readonly pipeline: Pipeline; readonly run: RunContext }): void {
    pipeline.notify(notice, run).catch(this.#onFailed);
  }
}
