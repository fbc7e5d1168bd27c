import type { SessionEntry } from './entry.ts';

/** An entry with its time in milliseconds since 1970: to write the text of a time, and to read it, takes as long as `JSON.parse` of the body. */
export interface TimedEntry extends Omit<SessionEntry, 'at'> {
  readonly at: number;
}

/** The entries that a store reads, one by one; `pagesIn` gets several at a time, without a wait for each. */
export class EntryPages implements AsyncIterable<SessionEntry> {
  readonly pages: () => AsyncIterable<readonly TimedEntry[]>;

  constructor(pages: () => AsyncIterable<readonly TimedEntry[]>) {
    this.pages = pages;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionEntry, void, void> {
    for await (const page of this.pages()) for (const entry of page) yield dated(entry);
  }
}

/** The entries of any store in pages; those of a store that has none come one by one. */
export function pagesIn(entries: AsyncIterable<SessionEntry>): AsyncIterable<readonly TimedEntry[]> {
  return entries instanceof EntryPages ? entries.pages() : pageEach(entries);
}

async function* pageEach(entries: AsyncIterable<SessionEntry>): AsyncGenerator<readonly TimedEntry[], void, void> {
  for await (const entry of entries) yield [{ ...entry, at: Date.parse(entry.at) }];
}

/** The entry with its time as a text. */
export function dated({ seq, at, epoch, body }: TimedEntry): SessionEntry {
  return { seq, at: new Date(at).toISOString(), epoch, body };
}
