import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ContentTable } from './content-table.ts';
import { KeeperFile } from './keeper-file.ts';

const SIZES = [0, 1, 495, 496, 497, 992, 993, 12_287, 12_288, 50_000];

function filled() {
  const folder = mkdtempSync(join(tmpdir(), 'content-table-'));
  const file = new KeeperFile(join(folder, 'file'));
  onTestFinished(() => {
    file.close();
    rmSync(folder, { recursive: true });
  });
  const table = new ContentTable(file);
  const contents = SIZES.map((size) => randomBytes(size)).map((content) => ({ content, hash: hashOf(content) }));
  for (const { hash, content } of contents) table.add(hash, content);
  return { file, table, contents };
}

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('base64url');

describe('ContentTable', () => {
  it('gives every content back, whatever its size', () => {
    const { table, contents } = filled();

    for (const { hash, content } of contents) expect(Buffer.from(table.read(hash)!)).toEqual(content);
    expect(table.read('none')).toBeUndefined();
    expect([table.has(contents[0]!.hash), table.has('none')]).toEqual([true, false]);
    expect(table.bytes()).toBe(SIZES.reduce((sum, size) => sum + size, 0));
  });

  it('removes contents with all their pieces, and no piece of another one', () => {
    const { file, table, contents } = filled();
    const kept = contents.filter((_, at) => at % 2 === 1);

    table.removeBut(kept.map(({ hash }) => `SELECT '${hash}'`).join(' UNION ALL '));

    for (const { hash, content } of kept) expect(Buffer.from(table.read(hash)!)).toEqual(content);
    expect(contents.filter(({ hash }) => table.has(hash))).toEqual(kept);
    expect(file.one('SELECT sum(length(bytes)) AS sum FROM pieces')).toEqual({ sum: table.bytes() });
  });
});
