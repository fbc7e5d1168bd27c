import { expect, it } from 'vitest';
import { checksumOf, entryOf, type StoredRow, timedEntryOf } from './stored-entry.ts';

const body = '{"type":"title","title":"T"}';
const row: StoredRow = { seq: 7, epoch: 2, at: 1, body, checksum: checksumOf(7, body) };

it('is the entry that was written, with its time as a text or as a number', () => {
  const entry = { seq: 7, epoch: 2, body: { type: 'title', title: 'T' } };

  expect(entryOf(row, 's1')).toEqual({ ...entry, at: '1970-01-01T00:00:00.001Z' });
  expect(timedEntryOf(row, 's1')).toEqual({ ...entry, at: 1 });
});

it.each<[string, StoredRow]>([
  ['its text', { body: body.replace('T', 't') }],
  ['its number', { seq: 8 }],
  ['its time to none', { at: 'soon' }],
  ['its time to one that no Date can hold', { at: 8.64e15 + 1 }],
])('is damaged when somebody has changed %s', (_what, changed) => {
  expect(() => timedEntryOf({ ...row, ...changed }, 's1')).toThrow(/^Entry [78] of session s1 is damaged/);
});
