/** A message that was sent from here with a signal. */
interface Signalled {
  readonly signal: AbortSignal;
  /** No run has recorded it yet. */
  isWaiting: boolean;
  /** The store has not taken it yet: nobody can have delivered it. */
  isSending: boolean;
  /** Takes the listener off again. */
  unlink?: (() => void) | undefined;
}

/** The signals of messages sent from here. One signal aborts one run, even when its message has to wait for the next. */
export class MessageSignals {
  /** By message; absent while there is none, as in most sessions. */
  #messages: Map<string, Signalled> | undefined;
  #run: AbortController | undefined;

  /** Whether no message with a signal waits. */
  get isIdle(): boolean {
    return !this.#messages?.size;
  }

  /** A message is on its way to the store. */
  add(messageId: string, signal: AbortSignal): void {
    const message: Signalled = { signal, isWaiting: true, isSending: true };
    (this.#messages ??= new Map()).set(messageId, message);
    this.#link(message);
  }

  /** The store has the message. */
  stored(messageId: string): void {
    const message = this.#messages?.get(messageId);
    if (!message) return;
    message.isSending = false;
    if (!message.isWaiting && !message.unlink) this.#messages?.delete(messageId);
  }

  /** A run is about to record the message: from now on its signal means this run alone. */
  recorded(messageId: string): void {
    const message = this.#messages?.get(messageId);
    if (message) message.isWaiting = false;
  }

  /** The store has refused the message: its signal means nothing. */
  refused(messageId: string): void {
    this.#messages?.get(messageId)?.unlink?.();
    this.#messages?.delete(messageId);
  }

  /** `waiting`: all that the store's inbox holds. What is not among it was delivered by another reader of the session. */
  prune(waiting: readonly string[]): void {
    for (const [messageId, { isWaiting, isSending }] of this.#messages ?? []) {
      if (isWaiting && !isSending && !waiting.includes(messageId)) this.refused(messageId);
    }
  }

  /** From here on the signals abort this run. */
  begin(run: AbortController): void {
    this.#run = run;
    for (const message of this.#messages?.values() ?? []) if (message.isWaiting) this.#link(message);
  }

  /** No signal is listened to any more. */
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
