import type { Inbox, RunRecord, UserMessage } from '@x/core';
import { unlessAborted } from '@x/core/internal';
import { wholeItem } from '../log/large-item.ts';
import type { InboxItem, SessionStore } from '../log/session-store.ts';
import { readWhileSlow } from '../log/slow-store.ts';

/** Notes about a message that gets no turn: a handler has refused it, or it was a command to the session. */
const CONSUMING_NOTES: readonly string[] = ['message_refused', 'command'];

export interface SessionInboxOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  /** The signal of the run. */
  readonly signal: AbortSignal;
  /** Called with each message that is about to be recorded. */
  readonly onDelivered: (messageId: string) => void;
  /** Called with all waiting messages when a run starts. */
  readonly onWaiting: (messageIds: readonly string[]) => void;
}

/** The messages of one run: those it starts with, and those that arrive while it is under way, from this process or another. */
export class SessionInbox implements Inbox {
  readonly #options: SessionInboxOptions;
  /** All messages handed out. */
  readonly #given = new Set<string>();
  /** Messages handed out and not yet recorded. Recording removes a message from the store's inbox, in the same step. */
  readonly #unrecorded = new Set<string>();
  /** Messages stored with priority `now`, and not handed out. */
  readonly #urgentIds = new Set<string>();
  #urgent = new AbortController();
  #open = true;
  /** Messages on their way to the store. */
  readonly #arriving = new Set<Promise<unknown>>();
  /** Number of messages sent so far. */
  #departures = 0;

  constructor(options: SessionInboxOptions) {
    this.#options = options;
  }

  /** False once the run has found nothing more to do: later messages wait for the next run. */
  get isOpen(): boolean {
    return this.#open;
  }

  get urgent(): AbortSignal {
    return this.#urgent.signal;
  }

  /** All waiting messages, as the input of a run that starts. */
  async first(): Promise<readonly InboxItem[]> {
    const items = await this.#waiting();
    this.#options.onWaiting(items.map(({ message }) => message.id));
    this.#give(items);
    return await this.#whole(items);
  }

  async take({ last = false }: { readonly last?: boolean } = {}): Promise<readonly UserMessage[]> {
    for (;;) {
      const departures = this.#departures;
      const settled = this.#arriving.size === 0;
      const items = await this.#waiting();
      const fresh = items.filter(({ message, priority }) => priority !== 'later' && !this.#given.has(message.id));
      if (fresh.length === 0 && last) {
        // A message on its way may be missing: it must be in this run or the next, and its sender must learn which.
        await this.#arrived();
        if (!settled || departures !== this.#departures) continue;
        this.#open = false;
      }
      this.#give(fresh);
      return fresh.length === 0 ? [] : (await this.#whole(fresh)).map(({ message }) => message);
    }
  }

  /** Stores a message while the run is open. True: it is part of this run, unless that ends before its next turn. */
  async arrive(item: InboxItem, store: () => Promise<boolean>): Promise<boolean> {
    const { id } = item.message;
    const storing = store();
    this.#departures += 1;
    this.#arriving.add(storing);
    let isNew: boolean;
    try {
      isNew = await storing;
    } finally {
      this.#arriving.delete(storing);
    }
    // The loop may have found it in the store already; then there is nothing to interrupt.
    if (isNew && item.priority === 'now' && !this.#given.has(id)) {
      this.#urgentIds.add(id);
      this.#urgent.abort();
    }
    return this.#open || this.#given.has(id);
  }

  /** Accepts no further message. */
  close(): void {
    this.#open = false;
  }

  /** The messages that this record takes out of the inbox. */
  consumedBy(record: RunRecord): readonly string[] | undefined {
    const id = messageIdIn(record);
    if (id === undefined || !this.#unrecorded.delete(id)) return undefined;
    this.#options.onDelivered(id);
    return [id];
  }

  /** Waits until messages on their way to the store are there, or have failed; a run that was aborted does not wait. */
  async #arrived(): Promise<void> {
    await unlessAborted(() => Promise.allSettled(this.#arriving), this.#options.signal).catch(() => undefined);
  }

  #waiting(): Promise<readonly InboxItem[]> {
    const { store, sessionId, signal } = this.#options;
    return readWhileSlow(() => store.inbox(sessionId), signal);
  }

  /** The items with the messages that wait as blobs. */
  async #whole(items: readonly InboxItem[]): Promise<readonly InboxItem[]> {
    if (items.every(({ blob }) => blob === undefined)) return items; // nearly always
    const { store, sessionId } = this.#options;
    return await Promise.all(items.map((item) => wholeItem(store, sessionId, item)));
  }

  #give(items: readonly InboxItem[]): void {
    for (const { message } of items) {
      this.#given.add(message.id);
      this.#unrecorded.add(message.id);
      this.#urgentIds.delete(message.id);
    }
    // A message that came too late for this read of the store stays urgent.
    if (this.#urgent.signal.aborted && this.#urgentIds.size === 0) this.#urgent = new AbortController();
  }
}

/** The message that a record takes out of the inbox. */
export function messageIdIn(record: RunRecord): string | undefined {
  if (record.type === 'message') return record.message.role === 'user' ? record.message.id : undefined;
  if (record.type !== 'note' || !CONSUMING_NOTES.includes(record.name)) return undefined;
  return (record.data as { messageId?: string }).messageId;
}
