import type { AgentEvent } from '@x/core';
import { type Appended, onAppended, originalOf } from '../log/appended.ts';
import { pagesIn, type TimedEntry } from '../log/entry-pages.ts';
import { readBody } from '../log/large-body.ts';
import type { SessionStore } from '../log/session-store.ts';
import { isRetryable } from '../log/slow-store.ts';
import { batchIn } from './live-batch.ts';
import type { LiveEvent } from './live-event.ts';
import type { SessionEvent } from './session-event.ts';
import type { Teller } from './teller.ts';

/** Items that a feed keeps; a reader that has missed one goes on from the log. */
const MOST = 1024;
/** Milliseconds between two looks for entries of other processes. */
const LOOK_MS = 50;
/** Looks between two looks at the calls that run. */
const TICK_LOOKS = 5;
/** Looks between two reads of a store that cannot say whether anything has changed. */
const BLIND_LOOKS = 5;

/** The events of an entry (`seq` is then `after` + 1), or live ones behind the entry `after`, made once for all readers. */
export interface FeedItem {
  readonly after: number;
  readonly seq: number;
  readonly events: readonly SessionEvent[];
}

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
  readonly #unsubscribe: (() => void) | undefined;
  #items: FeedItem[] = [];
  /** Items dropped so far: the number of the first one kept. */
  #dropped = 0;
  /** The last entry read, and what makes the events behind it; undefined until a reader has come to the end of the log. */
  #end: { seq: number; readonly teller: Teller } | undefined;
  /** Live events after entries that are not read yet. */
  #early: LiveEvent[] = [];
  /** The batch of another process that came last. */
  #heard = { sender: '', number: 0, epoch: 0 };
  /** Settled with the next item; made when somebody waits for it. */
  #news: PromiseWithResolvers<void> | undefined;
  #isReading = false;
  /** There may be entries that were not read: none is looked for without a reason. */
  #mayHaveMore = true;
  #timer: NodeJS.Timeout | undefined;
  #changes: string | undefined;
  #looks = 0;

  constructor(store: SessionStore, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#unlisten = onAppended(store, sessionId, (entries) => this.#take(entries));
    this.#unsubscribe = store.live?.subscribe(sessionId, (text) => this.#hear(text));
  }

  /** To be called once for each reader. */
  leave(): void {
    this.readers -= 1;
    readers -= 1;
    if (this.readers > 0) return;
    feeds.get(this.#store)?.delete(this.#sessionId);
    this.#unlisten();
    this.#unsubscribe?.();
    clearInterval(this.#timer);
  }

  /**
   * The number of the first item for a reader who knows the log up to `seq`, from where on it needs its `teller` no more: the first reader's
   * makes the events of all. Undefined when more of the log is to be read before.
   */
  placeAfter(seq: number, teller: Teller): number | undefined {
    this.#end ??= { seq, teller };
    const isEnough = (this.#items[0]?.after ?? this.#end.seq) <= seq;
    return isEnough ? this.#dropped : undefined;
  }

  /** The number of the next item to come. */
  get next(): number {
    return this.#dropped + this.#items.length;
  }

  /** The ids of the replies whose beginning a reader that comes now has missed. */
  get repliesUnderWay(): ReadonlySet<string> {
    return new Set(this.#end?.teller.repliesUnderWay);
  }

  /** Undefined for one that is still to come; `missed` for one that was dropped. */
  item(place: number): FeedItem | 'missed' | undefined {
    return place < this.#dropped ? 'missed' : this.#items[place - this.#dropped];
  }

  /** Resolves when there may be more, or after `stir`. @throws errors of the store */
  more(): Promise<void> {
    if (!this.#news) {
      this.#news = Promise.withResolvers();
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
      if (this.#mayHaveMore) this.#wake();
    }
    return this.#news.promise;
  }

  /** Lets those who wait look whether they still want to. */
  stir(): void {
    this.#news?.resolve();
    this.#news = undefined;
  }

  /** An event of a run in this process, which has begun to append `after` entries. */
  tell(event: AgentEvent, after: number): void {
    this.#place({ after, at: Date.now(), event });
  }

  /** Events of a run in another process. */
  #hear(text: string): void {
    const { sender, number, events = [] } = batchIn(text) ?? {};
    const [first] = events;
    if (!first || sender === undefined || number === undefined || first.epoch < this.#heard.epoch) return;
    const isNext = sender === this.#heard.sender && number === this.#heard.number + 1;
    if (sender !== this.#heard.sender) this.#early = this.#early.filter(({ epoch = 0 }) => epoch >= first.epoch);
    this.#heard = { sender, number, epoch: first.epoch };
    if (!isNext) this.#place({ ...first, event: { type: 'missed' } });
    for (const live of events) this.#place(live);
    if (this.#early.length > 0) this.#wake(); // the entries before them are there, or will be soon
  }

  #place(live: LiveEvent): void {
    if (!this.#end) return;
    if (live.after <= this.#end.seq) return this.#tellLive(live);
    this.#early.push(live);
    if (this.#early.length <= MOST) return;
    this.#early.splice(0, MOST / 2);
    this.#early.unshift({ ...this.#early[0]!, event: { type: 'missed' } }); // safe: the half of them is left
  }

  /** The run is over, and has recorded the log up to `seq`: events behind entries that were never recorded are dropped. */
  runEnded(seq: number): void {
    this.#early = this.#early.filter(({ after }) => after <= seq);
  }

  /** Entries that follow what is known need not be read. */
  #take({ expected: { head: after, epoch }, bodies }: Appended): void {
    if (after !== this.#end?.seq || this.#isReading) return this.#wake();
    const at = Date.now();
    try {
      for (const [index, body] of bodies.entries()) this.#tellEntry({ seq: after + 1 + index, at, epoch, body });
    } catch {
      this.#wake(); // reading says what is wrong
    }
  }

  /** Reads what is new, as soon as anybody waits for it. */
  #wake(): void {
    this.#mayHaveMore = true;
    if (this.#news && !this.#isReading) void this.#read();
  }

  #look(): void {
    if (!this.#news) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#looks += 1;
    if (this.#looks % TICK_LOOKS === 0) this.#tick();
    try {
      const changes = this.#store.changes?.(this.#sessionId);
      const isNew = changes === undefined ? this.#looks % BLIND_LOOKS === 0 : changes !== this.#changes;
      this.#changes = changes;
      if (isNew || this.#mayHaveMore) this.#wake();
    } catch {
      this.#wake(); // reading says what is wrong
    }
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#mayHaveMore && this.#news) {
        this.#mayHaveMore = false;
        for await (const page of pagesIn(this.#store.read(this.#sessionId, { after: this.#end?.seq ?? 0 }))) {
          for (const entry of page) this.#tellEntry(await wholeEntry(this.#store, this.#sessionId, entry));
          this.#mayHaveMore = true; // of another process, which may write on
        }
      }
    } catch (error) {
      this.#mayHaveMore = true;
      if (isRetryable(error)) return; // the store is slow: the next look tries again
      this.#news?.reject(error);
      this.#news = undefined;
    } finally {
      this.#isReading = false;
    }
  }

  /** Calls that have run for a second more. */
  #tick(): void {
    if (!this.#end) return;
    const { seq, teller } = this.#end;
    this.#push({ after: seq, seq, events: teller.ticks(Date.now(), seq) });
  }

  /** @throws SessionError `LOG_DAMAGED`, `LOG_TOO_NEW` */
  #tellEntry(entry: TimedEntry): void {
    const end = this.#end;
    if (!end) return;
    const { seq } = entry;
    this.#push({ after: end.seq, seq, events: end.teller.tell(entry) }, true);
    end.seq = seq;
    if (this.#early.length === 0) return;
    const ready = this.#early.findIndex(({ after }) => after > seq);
    for (const live of this.#early.splice(0, ready < 0 ? this.#early.length : ready)) this.#tellLive(live);
  }

  /** Nothing for one of this process that comes after its time: a record has told more by then. */
  #tellLive(live: LiveEvent): void {
    if (!this.#end || (live.epoch === undefined && live.after !== this.#end.seq)) return;
    const { seq, teller } = this.#end;
    this.#push({ after: seq, seq, events: teller.live(live, seq) });
  }

  #push(item: FeedItem, isEntry = false): void {
    if (item.events.length === 0 && !isEntry) return;
    this.#items.push(item);
    if (this.#items.length > MOST) {
      this.#dropped += MOST / 2;
      this.#items.splice(0, MOST / 2);
    }
    this.stir();
  }
}

/** The entry with its body, if that is stored apart. @throws SessionError `LOG_DAMAGED` */
export async function wholeEntry(store: SessionStore, sessionId: string, entry: TimedEntry): Promise<TimedEntry> {
  if (entry.body?.type !== 'blob') return entry;
  return { ...entry, body: await readBody(store, sessionId, entry.body) };
}
