import type { AgentEvent } from '@x/core';
import type { LiveChannel } from '../log/live-channel.ts';
import type { SessionLog } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import { feedOf } from './feed.ts';
import { LiveSender } from './live-batch.ts';
import { isLive } from './live-event.ts';

/** Followers of a session, in the process that runs it and in others. Used by the run. */
export class Followers {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #channel: LiveChannel | undefined;
  /** Made with the first event that somebody elsewhere is to be told; gone when nobody is left, so that the next one shows the gap. */
  #sender: LiveSender | undefined;

  constructor(store: SessionStore, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#channel = store.live;
  }

  /** True while there is one. */
  get areThere(): boolean {
    return feedOf(this.#store, this.#sessionId) !== undefined || this.#channel?.isHeard(this.#sessionId) === true;
  }

  /** To be called when a run begins. */
  expect(): void {
    this.#channel?.open();
  }

  /** Tells an event of the run; `log` is absent before it is open. */
  tell(event: AgentEvent, log: Pick<SessionLog, 'begun' | 'epoch'> | undefined): void {
    feedOf(this.#store, this.#sessionId)?.tell(event, log?.begun ?? 0);
    if (this.#channel) this.#send(this.#channel, event, log);
  }

  /** To be called before a record is written: a reader that knows it is told nothing more of what came before it. */
  recording(): void {
    this.#sender?.flush();
  }

  /** The run is over, and has recorded the log up to `seq`. */
  runEnded(seq: number): void {
    feedOf(this.#store, this.#sessionId)?.runEnded(seq);
    this.#sender?.flush();
  }

  #send(channel: LiveChannel, event: AgentEvent, log: Pick<SessionLog, 'begun' | 'epoch'> | undefined): void {
    if (!channel.isHeard(this.#sessionId)) {
      this.#sender?.flush();
      this.#sender = undefined;
    } else if (log && isLive(event)) {
      this.#sender ??= new LiveSender(channel, this.#sessionId);
      this.#sender.tell({ after: log.begun, at: Date.now(), epoch: log.epoch, event });
    }
  }
}
