import { AbortError, SessionError, textOf, type UserMessage, userMessage } from '@x/core';
import { checkOptions } from '@x/errors/option-rules';
import { expandMessage } from '../commands/expand-message.ts';
import { sentMessage } from '../log/sent-message.ts';
import type { InboxItem, SessionStore } from '../log/session-store.ts';
import { type Patience, readWhileSlow, type SlowStretch, whileSlow } from '../log/slow-store.ts';
import type { SessionServers } from '../mcp/session-servers.ts';
import { checkText } from '../options/check-options.ts';
import { SEND } from '../options/known-options.ts';
import type { SendOptions, SendOutcome } from '../options/types.ts';
import { MessageSignals } from './message-signals.ts';
import type { RestingState } from './resting-state.ts';
import type { SessionInbox } from './session-inbox.ts';

/** Milliseconds that `send` waits for a slow store. */
const PATIENCE_MS = 30_000;

export interface SenderOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly settings: { readonly commandDirectories: readonly string[]; readonly servers?: SessionServers };
  readonly state: Pick<RestingState, 'waits'>;
  readonly slow?: SlowStretch;
  /** The inbox of the run under way here. */
  readonly inbox: () => SessionInbox | undefined;
}

/** Sends the messages of one session object, in the order in which they were given. */
export class Sender {
  readonly signals: MessageSignals = new MessageSignals();
  readonly #options: SenderOptions;
  /** True when a message was sent from here since the last run began. */
  #hasSent = false;
  /** Resolves when the last message sent has arrived, or has failed to. */
  #sending: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Resolves when everything sent so far has arrived. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  /** A run begins: what was sent is in it. */
  begin(abort: AbortController): void {
    this.signals.begin(abort);
    this.#hasSent = false;
  }

  async send(text: string, options: SendOptions): Promise<SendOutcome> {
    checkText(text);
    checkOptions('The options', options, SEND);
    const { signal, maxTurns } = options;
    if (signal?.aborted) throw new AbortError('The signal was aborted before the message was sent');
    const { commandDirectories, servers } = this.#options.settings;
    const sent = expandMessage(text, commandDirectories, (line) => servers?.promptOf(line));
    const { idempotencyKey: key } = options;
    const message = { ...userMessage(sent.text), ...(key === undefined ? {} : { id: this.#idOf(key) }) };
    const command = sent.command ? { command: sent.command } : {};
    // A command to the session cannot join a run.
    const priority = sent.command ? 'later' : (options.priority ?? 'next');
    const item = { message, priority, ...command, ...(maxTurns === undefined ? {} : { maxTurns }) };
    let limit = performance.now() + PATIENCE_MS;
    const patience = { until: () => limit, signal, stretch: this.#options.slow };
    if (signal) this.signals.add(message.id, signal);
    try {
      const status = await this.#inTurn(async () => {
        if (!sent.prompt) return await this.#deliver(item, patience);
        const content = await sent.prompt(signal);
        limit = performance.now() + PATIENCE_MS; // it is the store that is slow or not
        return await this.#deliver({ ...item, message: { ...message, content } }, patience);
      });
      if (status === 'duplicate' && !sent.prompt) await this.#assertSame(message);
      this.signals.stored(message.id);
      return { status, messageId: message.id };
    } catch (error) {
      this.signals.refused(message.id);
      this.#hasSent = false; // looked at again
      throw error;
    }
  }

  /** The id of the message of a key: the store keeps each id once, whoever sends. */
  #idOf(key: string): string {
    const { hash } = process.getBuiltinModule('node:crypto'); // few programs send with keys
    return `key_${hash('sha256', `${this.#options.sessionId} ${key}`).slice(0, 32)}`;
  }

  /** @throws SessionError `IDEMPOTENCY_CONFLICT` when another text was sent under the key */
  async #assertSame(message: UserMessage): Promise<void> {
    const { store, sessionId } = this.#options;
    const before = await sentMessage(store, sessionId, message.id);
    if (!before || textOf(before) === textOf(message)) return; // a command leaves no message
    const text = `Session ${sessionId} has got another message under this key; send this one under a key of its own`;
    throw new SessionError(text, { code: 'IDEMPOTENCY_CONFLICT' });
  }

  /** Delivers messages in the order in which they are sent, even when the caller does not await one before the next. */
  async #inTurn<T>(deliver: () => Promise<T>): Promise<T> {
    const before = this.#sending;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sending = promise;
    try {
      if (before) await before;
      return await deliver();
    } finally {
      if (this.#sending === promise) this.#sending = undefined;
      resolve();
    }
  }

  /** Stores a message and returns its status. */
  async #deliver(item: InboxItem, patience: Patience): Promise<SendOutcome['status']> {
    const { store, sessionId, state, inbox } = this.#options;
    let isNew = true;
    const enqueue = async () => (isNew = await whileSlow(() => store.enqueue(sessionId, item), patience));
    const isFirst = !inbox() && (await this.#isFirst(patience));
    const active = inbox(); // a run may have begun meanwhile
    if (active?.isOpen && item.priority !== 'later') {
      const isTaken = await active.arrive(item, enqueue);
      if (!isNew) return 'duplicate';
      return isTaken ? 'steered' : 'queued';
    }
    if (!(await enqueue())) return 'duplicate';
    return isFirst && !active && !state.waits ? 'started' : 'queued';
  }

  /**
   * True when no message waits. Skips the store when a message from here is known to wait, unless another reader may have voided its
   * signal.
   */
  async #isFirst(patience: Patience): Promise<boolean> {
    if (this.#hasSent && this.signals.isIdle) return false;
    this.#hasSent = true;
    const { store, sessionId } = this.#options;
    const waiting = await readWhileSlow(() => store.inbox(sessionId), patience.signal);
    this.signals.prune(waiting.map(({ message }) => message.id));
    return waiting.length === 0;
  }
}
