/** A message that was sent from here with a signal. */
interface Signalled {
  readonly signal: AbortSignal;
  /** No run has recorded it yet. */
  isWaiting: boolean;
  /** The store has not stored it yet: nobody can have delivered it. */
  isSending: boolean;
  /** Takes the listener off again. */
  unlink?: (() => void) | undefined;
}

/** Signals of messages sent from here. One signal aborts one run, even when its message has to wait for the next. */
export class MessageSignals {
  /** By message; absent while empty, as in most sessions. */
  #messages: Map<string, Signalled> | undefined;
  #run: AbortController | undefined;

  /** True when no message with a signal waits. */
  get isIdle(): boolean {
    return !this.#messages?.size;
  }

  /** Adds a message that is being sent to the store. */
  add(messageId: string, signal: AbortSignal): void {
    const message: Signalled = { signal, isWaiting: true, isSending: true };
    (this.#messages ??= new Map()).set(messageId, message);
    this.#link(message);
  }

  /** Marks the message as stored. */
  stored(messageId: string): void {
    const message = this.#messages?.get(messageId);
    if (!message) return;
    message.isSending = false;
    if (!message.isWaiting && !message.unlink) this.#messages?.delete(messageId);
  }

  /** Marks the message as about to be recorded by a run: from now on its signal aborts only this run. */
  recorded(messageId: string): void {
    const message = this.#messages?.get(messageId);
    if (message) message.isWaiting = false;
  }

  /** Forgets a message that the store has refused. */
  refused(messageId: string): void {
    this.#messages?.get(messageId)?.unlink?.();
    this.#messages?.delete(messageId);
  }

  /** `waiting`: everything in the store's inbox. Other messages were delivered by another reader of the session. */
  prune(waiting: readonly string[]): void {
    for (const [messageId, { isWaiting, isSending }] of this.#messages ?? []) {
      if (isWaiting && !isSending && !waiting.includes(messageId)) this.refused(messageId);
    }
  }

  /** Lets the signals abort this run from now on. */
  begin(run: AbortController): void {
    this.#run = run;
    for (const message of this.#messages?.values() ?? []) if (message.isWaiting) this.#link(message);
  }

  /** Removes all listeners. */
  end(): void {
    this.#run = undefined;
    for (const [messageId, message] of this.#messages ?? []) {
      message.unlink?.();
      message.unlink = undefined;
      if (!message.isWaiting && !message.isSending) this.#messages?.delete(messageId);
    }
    if (this.#messages?.size === 0) this.#messages = undefined;
  }

  #link(message: Signalled): void {
    const run = this.#run;
    if (!run) return;
    const onAbort = () => {
      message.isWaiting = false;
      run.abort();
    };
    const { signal } = message;
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    message.unlink = () => signal.removeEventListener('abort', onAbort);
  }
}
