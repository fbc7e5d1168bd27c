import { randomBytes, randomUUID } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { kept, place } from './support.ts';

const CHECKPOINTS = 250;
/** The law says 5 MB for 10,000 checkpoints. */
const RECORDED_BYTES = 500;

const boundOf = (size: number) => CHECKPOINTS * (1.2 * size + RECORDED_BYTES);

describe('the file of checkpoints', () => {
  it.each([10, 600, 1_500, 2_300, 9_000, 12_200, 14_400])(
    'grows by 1.2 times what was changed and 500 bytes a checkpoint, for contents of %i bytes (ZC15)',
    (size) => {
      const { root, file } = place();
      writeFileSync(join(root, 'a'), randomBytes(size));
      const first = kept({ root, file });
      first.scan(null);
      first.close();
      const before = statSync(file).size;
      const keeper = kept({ root, file });
      for (let at = 0; at < CHECKPOINTS; at++) {
        keeper.point({ message: randomUUID(), role: 'user', at: Date.now() });
        writeFileSync(join(root, 'a'), randomBytes(size));
        keeper.touch(['a'], [randomUUID()]);
      }
      expect(keeper.counts().pending).toBe(1);
      keeper.close();

      expect(statSync(file).size - before).toBeLessThan(boundOf(size));
    },
  );

  it('would not, with one row for each content (control)', () => {
    const { file } = place();
    const database = new DatabaseSync(join(file, '../../control'));
    database.exec('CREATE TABLE contents (id INTEGER PRIMARY KEY, bytes BLOB)');
    const add = database.prepare('INSERT INTO contents (bytes) VALUES (?)');
    database.exec('BEGIN');
    for (let at = 0; at < CHECKPOINTS; at++) add.run(randomBytes(2_300));
    database.exec('COMMIT');
    database.close();

    expect(statSync(join(file, '../../control')).size).toBeGreaterThan(boundOf(2_300));
  });
});
