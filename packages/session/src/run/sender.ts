import {
  AbortError,
  type ModelOptions,
  SessionError,
  textOf,
  type UserMessage,
  userMessage,
  ValidationError,
} from '@x/core';
import { mediaOf, ownModelOptions } from '@x/core/internal';
import { expandMessage, type SentMessage } from '../commands/expand-message.ts';
import { isDeepEqual } from '../host/deep-equal.ts';
import { enqueueItem } from '../log/large-item.ts';
import { sentMessage } from '../log/sent-message.ts';
import type { InboxItem, SessionStore } from '../log/session-store.ts';
import { type Patience, readWhileSlow, type SlowStretch, whileSlow } from '../log/slow-store.ts';
import type { SessionServers } from '../mcp/session-servers.ts';
import { checkSendOptions } from '../options/known-options.ts';
import type { SendOptions, SendOutcome } from '../options/types.ts';
import type { UserContent } from '../options/user-content.ts';
import { type AskedModel, checkMessage, messageContent } from './message-content.ts';
import { MessageSignals } from './message-signals.ts';
import type { RestingState } from './resting-state.ts';
import type { SessionInbox } from './session-inbox.ts';

/** Milliseconds that `send` waits for a slow store. */
const PATIENCE_MS = 30_000;

export interface SenderOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly settings: {
    readonly commandDirectories: readonly string[];
    readonly servers?: SessionServers;
    /** Absent: nothing is known of what it reads. */
    readonly model?: AskedModel;
  };
  /** Refuses options that the models of the session do not take. Absent: they are checked when the message runs. */
  readonly admit?: (asked: ModelOptions) => void;
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

  async send(given: string | readonly UserContent[], options: SendOptions): Promise<SendOutcome> {
    checkMessage(given);
    checkSendOptions(options);
    const { signal, maxTurns } = options;
    const asked = options.modelOptions && ownModelOptions(options.modelOptions);
    if (signal?.aborted) throw new AbortError('The signal was aborted before the message was sent');
    const sent = this.#expanded(given);
    const { idempotencyKey: key } = options;
    if (asked) this.#admit(asked, sent.command !== undefined);
    let message = {
      ...userMessage(sent.text),
      ...(key === undefined ? {} : { id: this.#idOf(key) }),
      ...(asked ? { modelOptions: asked } : {}),
    };
    const command = sent.command ? { command: sent.command } : {};
    // A command to the session cannot join a run.
    const priority = sent.command ? 'later' : (options.priority ?? 'next');
    const item = { message, priority, ...command, ...(maxTurns === undefined ? {} : { maxTurns }) };
    let limit = performance.now() + PATIENCE_MS;
    const patience = { until: () => limit, signal, stretch: this.#options.slow };
    if (signal) this.signals.add(message.id, signal);
    try {
      const status = await this.#inTurn(async () => {
        const makes = sent.content ?? sent.prompt;
        if (!makes) return await this.#deliver(item, patience);
        message = { ...message, content: await makes(signal) };
        limit = performance.now() + PATIENCE_MS; // it is the store that is slow or not
        if (sent.content && key !== undefined && (await this.#isKnown(message))) return 'duplicate';
        return await this.#deliver({ ...item, message }, patience);
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

  /** @throws ValidationError for options that the session's models do not take, or that no model would see */
  #admit(asked: ModelOptions, isCommand: boolean): void {
    if (isCommand) {
      throw new ValidationError('modelOptions has no effect on a command to the session; leave it out', 'modelOptions');
    }
    this.#options.admit?.(asked);
  }

  /** A list of parts is no command, whatever its texts begin with. */
  #expanded(given: string | readonly UserContent[]): SentMessage {
    const { commandDirectories, servers, model } = this.#options.settings;
    if (typeof given !== 'string') return { text: '', content: messageContent(given, model) };
    return expandMessage(given, commandDirectories, (line) => servers?.promptOf(line));
  }

  /** Looked at before the bytes of a message are stored: those of its repetition would be another blob, for its time is another. */
  async #isKnown({ id }: UserMessage): Promise<boolean> {
    const { store, sessionId } = this.#options;
    return (await sentMessage(store, sessionId, id)) !== undefined;
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
    if (!before || isSame(before, message)) return; // a command leaves no message
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
    const enqueue = async () => (isNew = await whileSlow(() => enqueueItem(store, sessionId, item), patience));
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

function isSame(one: UserMessage, other: UserMessage): boolean {
  const parts = (message: UserMessage) => [textOf(message), mediaOf(message), message.modelOptions];
  return isDeepEqual(parts(one), parts(other));
}
