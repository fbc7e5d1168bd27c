import type { LiveChannel } from '../log/live-channel.ts';
import type { LiveEvent } from './live-event.ts';

/** Milliseconds for which live events are collected. */
const COLLECT_MS = 50;
/** Characters of the events of a batch, which is sent when it has more; an event with more alone is left out. */
const MOST = 32 * 1024;

/** Live events of one sender, in their order. A number that is left out stands for events that are missed. */
export interface LiveBatch {
  readonly sender: string;
  readonly number: number;
  readonly events: readonly Required<LiveEvent>[];
}

/** Sends the live events of a session to other processes, without a gap that they do not notice. */
export class LiveSender {
  readonly #channel: LiveChannel;
  readonly #sessionId: string;
  readonly #id = crypto.randomUUID();
  #number = 0;
  #events: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(channel: LiveChannel, sessionId: string) {
    this.#channel = channel;
    this.#sessionId = sessionId;
  }

  tell(live: Required<LiveEvent>): void {
    const text = JSON.stringify(live);
    if (this.#length + text.length > MOST) this.flush();
    if (text.length > MOST) {
      this.#number += 1;
      return;
    }
    this.#events.push(text);
    this.#length += text.length;
    this.#timer ??= setTimeout(() => this.flush(), COLLECT_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#events.length === 0) return;
    this.#number += 1;
    const head = `{"sender":"${this.#id}","number":${this.#number},"events":[`;
    this.#channel.publish(this.#sessionId, `${head}${this.#events.join()}]}`);
    this.#events = [];
    this.#length = 0;
  }
}

/** Undefined for a text of somebody else, or of a version that writes them in another way. */
export function batchIn(text: string): LiveBatch | undefined {
  try {
    const batch = JSON.parse(text) as Partial<LiveBatch> | null; // looked at below
    if (typeof batch?.sender !== 'string' || typeof batch.number !== 'number') return undefined;
    return Array.isArray(batch.events) && batch.events.every(isLiveEvent) ? (batch as LiveBatch) : undefined; // safe: looked at
  } catch {
    return undefined;
  }
}

function isLiveEvent(live: Partial<LiveEvent> | null): boolean {
  if (live === null || typeof live !== 'object') return false;
  const { after, at, epoch, event } = live;
  return [after, at, epoch].every(Number.isSafeInteger) && typeof event?.type === 'string';
}
