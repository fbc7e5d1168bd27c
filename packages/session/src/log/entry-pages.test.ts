import { expect, it } from 'vitest';
import type { SessionEntry } from './entry.ts';
import { EntryPages, pagesIn, type TimedEntry } from './entry-pages.ts';

const body = { type: 'title', title: 'T' } as const;
const timed = [1, 2, 3].map((seq): TimedEntry => ({ seq, at: seq, epoch: 1, body }));
const entries = timed.map((entry): SessionEntry => ({ ...entry, at: `1970-01-01T00:00:00.00${entry.seq}Z` }));

async function* paged() {
  yield timed.slice(0, 2);
  yield timed.slice(2);
}
async function* single() {
  yield* entries;
}

it('are read one by one with the texts of their times, by those who know nothing of pages', async () => {
  expect(await Array.fromAsync(new EntryPages(paged))).toEqual(entries);
});

it('come in the pages of the store, and from any other iterable one by one', async () => {
  const one = await Array.fromAsync(pagesIn(new EntryPages(paged)));
  const other = await Array.fromAsync(pagesIn(single()));

  expect(one).toEqual([timed.slice(0, 2), timed.slice(2)]);
  expect(other).toEqual(timed.map((entry) => [entry]));
});
