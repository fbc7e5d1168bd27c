import type { SessionStore } from '../../src/index.ts';
import type { LiveChannel } from '../../src/store-port.ts';

interface Subscriber {
  readonly channel: LiveChannel;
  readonly sessionId: string;
  readonly listener: (text: string) => void;
}

/** What a net does to a text on its way to one subscriber: loses it, or holds it up for so many turns of the event loop. */
export type Way = () => 'lost' | number;

export const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Live channels of processes that share sessions, all in this one. */
export class LiveNet {
  readonly #way: Way;
  readonly #subscribers = new Set<Subscriber>();
  readonly #order = new WeakMap<Subscriber, Promise<void>>();

  readonly #isGapless: boolean;
  #arrived = 0;

  /** `isGapless`: hides what it has lost, as no channel may. */
  constructor(way: Way, isGapless = false) {
    this.#way = way;
    this.#isGapless = isGapless;
  }

  /** The sessions of a store, as another process has them. */
  process(store: SessionStore): SessionStore {
    return { ...store, live: this.#channel() };
  }

  #channel(): LiveChannel {
    const others = (sessionId: string) =>
      [...this.#subscribers].filter((one) => one.channel !== channel && one.sessionId === sessionId);
    const channel: LiveChannel = {
      open: () => undefined,
      isHeard: (sessionId) => others(sessionId).length > 0,
      publish: (sessionId, text) => {
        for (const subscriber of others(sessionId)) this.#carry(subscriber, text);
      },
      subscribe: (sessionId, listener) => {
        const subscriber = { channel, sessionId, listener };
        this.#subscribers.add(subscriber);
        return () => void this.#subscribers.delete(subscriber);
      },
    };
    return channel;
  }

  #carry(subscriber: Subscriber, text: string): void {
    const way = this.#way();
    if (way === 'lost') return;
    const renumbered = () => text.replace(/"number":\d+/, `"number":${(this.#arrived += 1)}`);
    const before = this.#order.get(subscriber) ?? Promise.resolve();
    const arrived = before
      .then(() => turns(way))
      .then(
        () => void (this.#subscribers.has(subscriber) && subscriber.listener(this.#isGapless ? renumbered() : text)),
      );
    this.#order.set(subscriber, arrived);
  }
}
