import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WalRoom } from './wal-room.ts';

let folder = '';
let path = '';
let database: DatabaseSync;
let room: WalRoom;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wal-room-'));
  path = join(folder, 'x.db');
  database = new DatabaseSync(path);
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = off; create table t (n integer primary key, text text)',
  );
  room = new WalRoom(`${path}-wal`, 4096);
});
afterEach(async () => {
  room.close();
  database.close();
  await rm(folder, { recursive: true });
});

const sizeOfLog = () => statSync(`${path}-wal`).size;
/** A transaction of so many rows of so many characters. */
function commit({ rows = 1, characters = 600, through = database, begun = () => {} } = {}): void {
  const insert = through.prepare('insert into t (text) values (?)');
  through.exec('begin immediate');
  begun();
  for (let row = 0; row < rows; row++) insert.run('x'.repeat(characters));
  through.exec('commit');
}
/** How many of so many commits make the log longer by themselves; the room is told of these writes and bytes in each. */
function growthsIn(
  times: number,
  { told = 1, spent = 0, ...shape }: Told & { rows?: number; characters?: number } = {},
) {
  let growths = 0;
  for (let time = 0; time < times; time++) {
    let before = 0;
    const begun = () => {
      if (told > 0) room.make(told);
      before = sizeOfLog();
    };
    commit({ ...shape, begun });
    room.spend(spent);
    if (sizeOfLog() !== before) growths += 1;
  }
  return growths;
}
interface Told {
  readonly told?: number;
  readonly spent?: number;
}
const isWhole = () => {
  using other = new DatabaseSync(path);
  return other.prepare('pragma integrity_check').get()?.['integrity_check'] === 'ok';
};

describe('WalRoom', () => {
  it('keeps commits from making the log longer, until SQLite writes it anew and ever after', () => {
    const without = growthsIn(100, { told: 0 });
    const growths = growthsIn(2000);

    expect(without).toBe(100);
    expect(growths).toBe(0);
    expect(isWhole()).toBe(true);
  });

  it('reckons with the writes that share a commit', () => {
    const growths = growthsIn(40, { rows: 10, characters: 3500, told: 10 });
    const withoutTheirNumber = growthsIn(40, { rows: 10, characters: 3500 });

    expect(growths).toBe(0);
    expect(withoutTheirNumber).toBeGreaterThan(0);
    expect(isWhole()).toBe(true);
  });

  it('reckons with the bytes of large writes', () => {
    const growths = growthsIn(40, { characters: 40_000, spent: 40_000 });
    const withoutTheirSize = growthsIn(40, { characters: 40_000 });

    expect(withoutTheirSize).toBeGreaterThan(5);
    expect(growths).toBeLessThan(3); // the last ones before it looks again
    expect(isWhole()).toBe(true);
  });

  it('makes room again where other connections have used it up', () => {
    growthsIn(1);
    using other = new DatabaseSync(path);
    for (let time = 0; time < 200; time++) commit({ through: other });
    growthsIn(20); // until it looks again

    expect(growthsIn(50)).toBe(0);
    expect(isWhole()).toBe(true);
  });

  it('leaves room that others have made as it is', () => {
    growthsIn(1);
    const before = sizeOfLog();
    const another = new WalRoom(`${path}-wal`, 4096);
    another.make(1);
    another.close();

    expect(sizeOfLog()).toBe(before);
  });

  it('fails nothing where there is no log', () => {
    const nowhere = new WalRoom(join(folder, 'nothing-wal'), 4096);

    expect(() => nowhere.make(1)).not.toThrow();
    nowhere.close();
  });
});
