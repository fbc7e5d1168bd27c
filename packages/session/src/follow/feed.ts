import type { AgentEvent } from '@x/core';
import { type Appended, onAppended, originalOf } from '../log/appended.ts';
import type { SessionEntry } from '../log/entry.ts';
import { readBody } from '../log/large-body.ts';
import type { SessionStore } from '../log/session-store.ts';
import { isRetryable } from '../log/slow-store.ts';
import type { LiveEvent } from './teller.ts';

/** Items that a feed keeps; a reader that has missed one goes on from the log. */
const MOST = 1024;
/** Milliseconds between two looks for entries of other processes. */
const LOOK_MS = 50;
/** Looks between two ticks. */
const TICK_LOOKS = 5;
/** Looks between two reads of a store that cannot say whether anything has changed. */
const BLIND_LOOKS = 5;

/** What a feed hands on, in order: the entries of the log, and between them the live events of a run in this process. */
export type FeedItem = SessionEntry | LiveEvent;

/** The feeds of this process that have readers. */
const feeds = new WeakMap<SessionStore, Map<string, Feed>>();
let readers = 0;

/** The feed of a session; undefined while nobody in this process follows it. */
export function feedOf(store: SessionStore, sessionId: string): Feed | undefined {
  return readers === 0 ? undefined : feeds.get(originalOf(store))?.get(sessionId);
}

/** The feed of a session for one reader more, who leaves it once. */
export function joinFeed(store: SessionStore, sessionId: string): Feed {
  const original = originalOf(store);
  let ofStore = feeds.get(original);
  if (!ofStore) feeds.set(original, (ofStore = new Map()));
  let feed = ofStore.get(sessionId);
  if (!feed) ofStore.set(sessionId, (feed = new Feed(original, sessionId)));
  feed.readers += 1;
  readers += 1;
  return feed;
}

/** Reads what is new of one session once, for all its readers in this process, and only while one of them waits. */
export class Feed {
  readers = 0;
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #unlisten: () => void;
  #items: FeedItem[] = [];
  /** Items dropped so far: the number of the first one kept. */
  #dropped = 0;
  /** The last entry read; undefined until a reader has come to the end of the log. */
  #head: number | undefined;
  /** Live events after entries that are not read yet. */
  #early: LiveEvent[] = [];
  /** Settled with the next item; made when somebody waits for it. */
  #news: PromiseWithResolvers<void> | undefined;
  #isReading = false;
  #readAgain = false;
  #timer: NodeJS.Timeout | undefined;
  #changes: string | undefined;
  #looks = 0;
  /** True when somebody waits for time to pass, too. */
  #ticks = false;

  constructor(store: SessionStore, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#unlisten = onAppended(store, sessionId, (entries) => this.#take(entries));
  }

  /** To be called once for each reader. */
  leave(): void {
    this.readers -= 1;
    readers -= 1;
    if (this.readers > 0) return;
    feeds.get(this.#store)?.delete(this.#sessionId);
    this.#unlisten();
    clearInterval(this.#timer);
  }

  /** The number of the first item for a reader who knows the log up to `seq`; undefined when more of the log is to be read before. */
  placeAfter(seq: number): number | undefined {
    this.#head ??= seq;
    const oldest = this.#items.find((item) => 'seq' in item);
    const isEnough = oldest ? oldest.seq <= seq + 1 : this.#head <= seq;
    return isEnough ? this.#dropped : undefined;
  }

  /** The number of the next item to come. */
  get end(): number {
    return this.#dropped + this.#items.length;
  }

  /** Undefined for one that is still to come; `missed` for one that was dropped. */
  item(place: number): FeedItem | 'missed' | undefined {
    return place < this.#dropped ? 'missed' : this.#items[place - this.#dropped];
  }

  /** Resolves when there may be more, after `stir`, and with `ticks` four times a second. @throws errors of the store */
  more(ticks = false): Promise<void> {
    this.#ticks ||= ticks;
    if (!this.#news) {
      this.#news = Promise.withResolvers();
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
      this.#wake();
    }
    return this.#news.promise;
  }

  /** Lets those who wait look whether they still want to. */
  stir(): void {
    this.#ticks = false;
    this.#news?.resolve();
    this.#news = undefined;
  }

  /** An event of a run in this process, which has begun to append `after` entries. */
  tell(event: AgentEvent, after: number): void {
    if (this.#head === undefined) return;
    const live = { after, at: Date.now(), event };
    if (after <= this.#head) this.#push(live);
    else {
      this.#early.push(live);
      if (this.#early.length > MOST) this.#early.splice(0, MOST / 2);
    }
  }

  /** The run is over, and has recorded the log up to `seq`: events behind entries that were never recorded are dropped. */
  runEnded(seq: number): void {
    this.#early = this.#early.filter(({ after }) => after <= seq);
  }

  /** Entries that follow what is known need not be read. */
  #take({ expected: { head: after, epoch }, bodies }: Appended): void {
    if (after !== this.#head || this.#isReading) return this.#wake();
    const at = new Date().toISOString();
    for (const [index, body] of bodies.entries()) this.#push({ seq: after + 1 + index, at, epoch, body });
  }

  /** Reads what is new, if anybody waits for it. */
  #wake(): void {
    if (!this.#news) return; // the first to wait reads
    if (this.#isReading) this.#readAgain = true;
    else void this.#read();
  }

  #look(): void {
    if (!this.#news) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#looks += 1;
    if (this.#ticks && this.#looks % TICK_LOOKS === 0) this.stir();
    try {
      const changes = this.#store.changes?.(this.#sessionId);
      const isNew = changes === undefined ? this.#looks % BLIND_LOOKS === 0 : changes !== this.#changes;
      this.#changes = changes;
      if (isNew) this.#wake();
    } catch {
      this.#wake(); // reading says what is wrong
    }
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      do {
        this.#readAgain = false;
        for await (const entry of this.#store.read(this.#sessionId, { after: this.#head ?? 0 })) {
          this.#push(await wholeEntry(this.#store, this.#sessionId, entry));
        }
      } while (this.#readAgain);
    } catch (error) {
      if (isRetryable(error)) return; // the store is slow: the next look tries again
      this.#news?.reject(error);
      this.#news = undefined;
    } finally {
      this.#isReading = false;
    }
  }

  #push(item: FeedItem): void {
    this.#items.push(item);
    if ('seq' in item) {
      this.#head = item.seq;
      const ready = this.#early.findIndex(({ after }) => after > item.seq);
      this.#items.push(...this.#early.splice(0, ready < 0 ? this.#early.length : ready));
    }
    if (this.#items.length > MOST) {
      this.#dropped += MOST / 2;
      this.#items.splice(0, MOST / 2);
    }
    this.stir();
  }
}

/** The entry with its body, if that is stored apart. @throws SessionError `LOG_DAMAGED` */
export async function wholeEntry(store: SessionStore, sessionId: string, entry: SessionEntry): Promise<SessionEntry> {
  if (entry.body?.type !== 'blob') return entry;
  return { ...entry, body: await readBody(store, sessionId, entry.body) };
}
