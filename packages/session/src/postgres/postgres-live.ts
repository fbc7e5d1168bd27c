import { isAgentError } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { LiveChannel } from '../log/live-channel.ts';
import type { Listening, OpenListening } from './listening.ts';
import { channelOf, Gathering, partsOf } from './live-parts.ts';
import { isRefusal } from './pool-connections.ts';

/** Milliseconds between two announcements of who listens, and two tries to connect. */
const BEAT_MS = 5_000;
/** Milliseconds after which somebody who announces nothing more listens no longer. */
const HEARD_MS = 20_000;
/** Sessions that others are known to listen to. */
const MOST_HEARD = 10_000;
/** Characters that wait for the statement under way; what comes then is dropped. */
const MOST_WAITING = 512 * 1024;
/** Ids of sessions in one announcement. */
const IDS = 50;
/** It need not outlive a crash: without the setting each would wait for the disk. */
const NOTIFY = `with quiet as materialized (select set_config('synchronous_commit', 'off', true))
  select pg_notify(one.channel, one.text) from quiet, unnest($1::text[], $2::text[]) as one(channel, text)`;

interface Subscribed {
  readonly sessionId: string;
  readonly listeners: Set<(text: string) => void>;
  readonly gathering: Gathering;
}
interface Notification {
  readonly channel: string;
  readonly text: string;
}

/**
 * Live events over `NOTIFY`, on one connection of its own, which is opened by the first who runs or follows a session and tried again while it is
 * away. Each session has a channel; on a common one those who follow say so every five seconds, and whoever comes asks who does.
 */
export class PostgresLive implements LiveChannel {
  readonly #connect: OpenListening;
  readonly #schema: string;
  readonly #common: string;
  readonly #id = crypto.randomUUID();
  readonly #subscribed = new Map<string, Subscribed>();
  /** Until when others are taken to listen, by session and `performance.now()`. */
  readonly #heard = new Map<string, number>();
  #listening: Listening | undefined;
  #isConnecting = false;
  #waiting: Notification[] = [];
  #length = 0;
  #isSending = false;
  #published = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isWarned = false;

  constructor(connect: OpenListening, schema: string) {
    this.#connect = connect;
    this.#schema = schema;
    this.#common = channelOf(schema, '');
  }

  open(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
    void this.#begin();
  }

  isHeard(sessionId: string): boolean {
    return this.#heard.has(sessionId);
  }

  publish(sessionId: string, text: string): void {
    if (!this.#listening || this.#length > MOST_WAITING) return;
    const channel = channelOf(this.#schema, sessionId);
    const head = `${this.#id}.${(this.#published += 1)}`;
    for (const part of partsOf(text)) this.#waiting.push({ channel, text: `${head} ${part}` });
    this.#length += text.length;
    void this.#send();
  }

  subscribe(sessionId: string, listener: (text: string) => void): () => void {
    const channel = channelOf(this.#schema, sessionId);
    let subscribed = this.#subscribed.get(channel);
    if (!subscribed) {
      this.#subscribed.set(channel, (subscribed = { sessionId, listeners: new Set(), gathering: new Gathering() }));
      void this.#use(async (listening) => {
        await listening.listen(channel);
        await this.#announce(listening, [sessionId]);
      });
    }
    subscribed.listeners.add(listener);
    this.open();
    return () => {
      if (!subscribed.listeners.delete(listener) || subscribed.listeners.size > 0) return;
      this.#subscribed.delete(channel);
      void this.#use((listening) => listening.unlisten(channel));
    };
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#heard.clear();
    this.#listening?.close();
    this.#listening = undefined;
  }

  #beat(): void {
    const now = performance.now();
    for (const [sessionId, until] of this.#heard) if (until < now) this.#heard.delete(sessionId);
    if (!this.#listening) return void this.#begin();
    // A connection may be dead without a word: only a statement finds out.
    void this.#use((listening) =>
      this.#subscribed.size > 0 ? this.#announce(listening, this.#sessions()) : listening.query('select 1'),
    );
  }

  async #begin(): Promise<void> {
    if (this.#isConnecting || this.#isClosed) return;
    this.#isConnecting = true;
    try {
      const listening = await this.#connect({
        onText: (channel, text) => this.#hear(channel, text),
        onLost: (error) => this.#lose(this.#listening, error),
      });
      if (this.#isClosed) return listening.close();
      this.#listening = listening;
      await this.#use(async () => {
        await listening.listen(this.#common);
        for (const channel of this.#subscribed.keys()) await listening.listen(channel);
        await this.#announce(listening, this.#sessions(), true);
        this.#isWarned = false;
      });
    } catch (error) {
      this.#lose(undefined, error);
    } finally {
      this.#isConnecting = false;
    }
  }

  /** Does something over the connection, if it is there. Never rejects. */
  async #use(act: (listening: Listening) => Promise<unknown>): Promise<void> {
    const listening = this.#listening;
    if (!listening) return;
    try {
      await act(listening);
    } catch (error) {
      this.#lose(listening, error);
    }
  }

  /** After an error; nothing of one that comes after the close. */
  #lose(listening: Listening | undefined, error: unknown): void {
    if (this.#isClosed || listening !== this.#listening) return;
    if (listening && !isRefusal(error)) {
      this.#listening = undefined;
      listening.close();
    }
    if (!this.#isWarned) {
      const what = `Live events do not reach other processes, nor come from them: ${messageOf(error)}`;
      process.emitWarning(what, 'PostgresStoreWarning');
    }
    this.#isWarned = true;
    if (isAgentError(error)) this.close(); // no other try would help
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const sent = this.#waiting;
      this.#waiting = [];
      this.#length = 0;
      await this.#use((listening) => notify(listening, sent));
    }
    this.#isSending = false;
  }

  #sessions(): string[] {
    return [...this.#subscribed.values()].map(({ sessionId }) => sessionId);
  }

  /** Says to whom this process listens. `asks`: the others are to say it too. */
  async #announce(listening: Listening, sessionIds: readonly string[], asks = false): Promise<void> {
    const texts = asks ? ['?'] : [];
    for (let at = 0; at < sessionIds.length; at += IDS) texts.push(sessionIds.slice(at, at + IDS).join(' '));
    const sent = texts.map((text) => ({ channel: this.#common, text: `${this.#id} ${text}` }));
    if (sent.length > 0) await notify(listening, sent);
  }

  #hear(channel: string, text: string): void {
    if (this.#isClosed || text.startsWith(this.#id)) return;
    if (channel === this.#common) return this.#hearOf(text.split(' ').slice(1));
    const subscribed = this.#subscribed.get(channel);
    const whole = subscribed?.gathering.add(text);
    if (whole !== undefined) for (const listener of subscribed?.listeners ?? []) listener(whole);
  }

  #hearOf(sessionIds: readonly string[]): void {
    if (sessionIds[0] === '?') return void this.#use((listening) => this.#announce(listening, this.#sessions()));
    const until = performance.now() + HEARD_MS;
    for (const sessionId of sessionIds)
      if (this.#heard.size < MOST_HEARD || this.#heard.has(sessionId)) this.#heard.set(sessionId, until);
  }
}

async function notify({ query }: Listening, sent: readonly Notification[]): Promise<void> {
  await query(NOTIFY, [sent.map(({ channel }) => channel), sent.map(({ text }) => text)]);
}
