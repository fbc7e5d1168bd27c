import type { Inbox, RunRecord, UserMessage } from '@x/core';
import type { InboxItem, SessionStore } from './log/session-store.ts';

/** The messages of one run: those it starts with, and those that arrive while it is under way, from this process or another. */
export class SessionInbox implements Inbox {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #onDelivered: (messageId: string) => void;
  /** Handed out and not yet recorded. Recording removes a message from the store's inbox, in the same step. */
  readonly #handed = new Set<string>();
  /** Messages with priority `now` that no `take` has handed out. */
  readonly #urgentIds = new Set<string>();
  #urgent = new AbortController();
  #open = true;
  #arriving: Promise<unknown> | undefined;

  /** `onDelivered` is told of each message that is about to be recorded. */
  constructor(store: SessionStore, sessionId: string, onDelivered: (messageId: string) => void) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#onDelivered = onDelivered;
  }

  /** False once the run has found nothing more to do: what arrives now waits for the next run. */
  get isOpen(): boolean {
    return this.#open;
  }

  get urgent(): AbortSignal {
    return this.#urgent.signal;
  }

  /** Everything that waits, as the input of a run that starts. */
  async first(): Promise<readonly InboxItem[]> {
    const items = await this.#store.inbox(this.#sessionId);
    for (const { message } of items) this.#handed.add(message.id);
    return items;
  }

  async take({ last = false }: { readonly last?: boolean } = {}): Promise<readonly UserMessage[]> {
    for (;;) {
      const arriving = this.#arriving;
      const items = await this.#store.inbox(this.#sessionId);
      const fresh = items.filter(({ message, priority }) => priority !== 'later' && !this.#handed.has(message.id));
      if (fresh.length === 0 && last) {
        // A message on its way to the store is waited for, so that it is in this run or the next, and its sender told which.
        if (this.#arriving) await this.#arriving.catch(() => undefined);
        if (arriving !== this.#arriving || arriving) continue;
        this.#open = false;
      }
      if (this.#urgent.signal.aborted) this.#urgent = new AbortController();
      for (const { message } of fresh) {
        this.#handed.add(message.id);
        this.#urgentIds.delete(message.id);
      }
      return fresh.map(({ message }) => message);
    }
  }

  /** Stores a message while the run is open. */
  async arrive(item: InboxItem): Promise<void> {
    const { id } = item.message;
    if (item.priority === 'now') this.#urgentIds.add(id);
    const arriving = this.#store.enqueue(this.#sessionId, item);
    this.#arriving = arriving;
    try {
      await arriving;
    } finally {
      if (this.#arriving === arriving) this.#arriving = undefined;
    }
    // The loop may have found it in the store before its sender is told; then there is nothing to interrupt.
    if (this.#urgentIds.delete(id)) this.#urgent.abort();
  }

  /** No message is taken any more. */
  close(): void {
    this.#open = false;
  }

  /** The messages that this record takes out of the inbox. */
  consumedBy(record: RunRecord): readonly string[] | undefined {
    const id = messageIdIn(record);
    if (id === undefined || !this.#handed.delete(id)) return undefined;
    this.#onDelivered(id);
    return [id];
  }
}

function messageIdIn(record: RunRecord): string | undefined {
  if (record.type === 'message') return record.message.role === 'user' ? record.message.id : undefined;
  if (record.type !== 'note' || record.name !== 'message_refused') return undefined;
  return (record.data as { messageId?: string }).messageId;
}
