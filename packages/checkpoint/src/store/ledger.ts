import type { Action, Change } from '../rewind/plan-rewind.ts';
import type { TreePath } from '../tree/entry.ts';
import type { Known } from '../tree/known-tree.ts';
import { ContentTable } from './content-table.ts';
import { entryOf, entryText, HASH_IN_TEXT } from './entry-text.ts';
import { KeeperFile } from './keeper-file.ts';

/** The checkpoint of a message: the files as they were when it was recorded. */
export interface Point {
  readonly message: string;
  readonly role: 'user' | 'assistant';
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A point with the changes of calls between it and the next one, each with its time. */
export interface RecordedPoint extends Point {
  readonly changes: readonly (Change & { readonly at: number })[];
}

/** Numbers of a ledger. */
export interface LedgerCounts {
  readonly points: number;
  /** Different paths that calls have changed. */
  readonly paths: number;
  /** Changes of calls since the last point. */
  readonly pending: number;
}

/** The rules of the first look, the directory, and the calls that are at work. */
type Fact = 'scope' | 'root' | 'site' | 'atWork';

/** Contents by hash, with the last change that needs them; those of the present files are always needed. */
const USES = `SELECT before ->> '${HASH_IN_TEXT}' AS hash, id FROM changes
  UNION ALL SELECT after ->> '${HASH_IN_TEXT}', id FROM changes
  UNION ALL SELECT entry ->> '${HASH_IN_TEXT}', ${Number.MAX_SAFE_INTEGER} FROM tree`;

interface ChangeRow {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly calls: string | null;
  readonly at: number;
}

/** What is kept, in the words of its users. Several acts become one by `transaction`. */
export class Ledger {
  readonly contents: ContentTable;
  readonly #file: KeeperFile;

  /** @throws AgentError `CHECKPOINT_FILE`, `CHECKPOINT_BUSY` */
  constructor(path: string, waitMs?: number) {
    this.#file = new KeeperFile(path, waitMs);
    this.contents = new ContentTable(this.#file);
  }

  transaction<T>(act: () => T): T {
    return this.#file.transaction(act);
  }

  fact(name: Fact): string | undefined {
    return this.#file.one<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value;
  }

  setFact(name: Fact, value: string): void {
    this.#file.run('INSERT OR REPLACE INTO facts VALUES (?, ?)', name, value);
  }

  tree(): [TreePath, Known][] {
    const rows = this.#file.all<{ path: string; entry: string; stamp: string }>('SELECT * FROM tree');
    return rows.map(({ path, entry, stamp }) => [path, { entry: entryOf(entry)!, stamp }]); // what is not there has no row
  }

  setTree(path: TreePath, known: Known | null): void {
    if (known === null) this.#file.run('DELETE FROM tree WHERE path = ?', path);
    else this.#file.run('INSERT OR REPLACE INTO tree VALUES (?, ?, ?)', path, entryText(known.entry), known.stamp);
  }

  addChange({ path, before, after, calls }: Change, at: number): void {
    const values = [path, entryText(before), entryText(after), calls && JSON.stringify(calls), at];
    this.#file.run('INSERT INTO changes (path, before, after, calls, at) VALUES (?, ?, ?, ?, ?)', ...values);
  }

  /**
   * Forgets the oldest points, and what only they need, until all contents together fit one of the goals (in bytes; the first that can be
   * reached); points since the last message of a user stay. Gives back the bytes that are left; undefined when no goal can be reached.
   */
  forgetOldest(goals: readonly number[]): number | undefined {
    if (this.openRewind()) return undefined;
    const points = this.#file.all<{ id: number; position: number }>(
      "SELECT id, position FROM points WHERE id <= (SELECT max(id) FROM points WHERE role = 'user') ORDER BY id",
    );
    const contents = this.#file.all<{ size: number; last: number }>(
      `SELECT size, max(uses.id) AS last FROM contents JOIN (${USES}) AS uses USING (hash) GROUP BY hash`,
    );
    const left = (position: number) => contents.reduce((sum, { size, last }) => sum + (last > position ? size : 0), 0);
    for (const goal of goals) {
      const oldest = points.slice(1).find(({ position }) => left(position) <= goal);
      if (oldest) return this.transaction(() => this.#forgetBefore(oldest));
    }
    return undefined;
  }

  #forgetBefore({ id, position }: { readonly id: number; readonly position: number }): number {
    this.#file.run('DELETE FROM points WHERE id < ?', id);
    // The last one stays in any case: the numbers of later ones go on from it.
    this.#file.run('DELETE FROM changes WHERE id <= ? AND id < (SELECT max(id) FROM changes)', position);
    this.#file.run('DELETE FROM rewinds WHERE id NOT IN (SELECT message FROM points)');
    this.contents.removeBut(`SELECT hash FROM (${USES}) WHERE hash IS NOT NULL`);
    return this.contents.bytes();
  }

  /** The time of the point of a message, and the changes since, oldest first; undefined for an unknown one. */
  changesSince(message: string): { readonly at: number; readonly changes: readonly Change[] } | undefined {
    const sql = 'SELECT at, position FROM points WHERE message = ?';
    const point = this.#file.one<{ at: number; position: number }>(sql, message);
    if (!point) return undefined;
    const rows = this.#file.all<ChangeRow>('SELECT * FROM changes WHERE id > ? ORDER BY id', point.position);
    return { at: point.at, changes: rows.map(changeOf) };
  }

  /** A point, with what calls have changed before the next one; undefined for an unknown one. */
  recordedPoint(message: string): RecordedPoint | undefined {
    const point = this.#file.one<Point & { readonly id: number; readonly position: number }>(
      'SELECT * FROM points WHERE message = ?',
      message,
    );
    if (!point) return undefined;
    const end = 'SELECT coalesce(min(position), max(?, (SELECT max(id) FROM changes))) FROM points WHERE id > ?';
    const rows = this.#file.all<ChangeRow>(
      `SELECT * FROM changes WHERE calls IS NOT NULL AND id > ? AND id <= (${end}) ORDER BY id`,
      point.position,
      point.position,
      point.id,
    );
    const { role, at } = point;
    return { message, role, at, changes: rows.map(changeOf) };
  }

  /** One that is there stays as it is. */
  addPoint({ message, role, at }: Point): void {
    const position = 'SELECT coalesce(max(id), 0) FROM changes';
    const sql = `INSERT OR IGNORE INTO points (message, role, at, position) VALUES (?, ?, ?, (${position}))`;
    this.#file.run(sql, message, role, at);
  }

  addRewind(id: string, actions: readonly Action[]): void {
    this.#file.run('INSERT INTO rewinds (id, actions, done) VALUES (?, ?, 0)', id, JSON.stringify(actions));
  }

  openRewind(): { readonly id: string; readonly actions: readonly Action[] } | undefined {
    const row = this.#file.one<{ id: string; actions: string }>('SELECT id, actions FROM rewinds WHERE done = 0');
    return row && { id: row.id, actions: JSON.parse(row.actions) };
  }

  endRewind(id: string): void {
    this.#file.run('UPDATE rewinds SET done = 1 WHERE id = ?', id);
  }

  counts(): LedgerCounts {
    const count = (what: string) => this.#file.one<{ count: number }>(`SELECT count(${what}`)?.count ?? 0;
    const last = 'SELECT coalesce(max(position), 0) FROM points';
    return {
      points: count('*) AS count FROM points'),
      paths: count('DISTINCT path) AS count FROM changes WHERE calls IS NOT NULL'),
      pending: count(`*) AS count FROM changes WHERE calls IS NOT NULL AND id > (${last})`),
    };
  }

  /** `upTo`: the copy knows no later point than that of this message. */
  copyTo(path: string, upTo?: string): void {
    this.#file.copyTo(path);
    if (upTo === undefined) return;
    const copy = new KeeperFile(path);
    try {
      const last = 'SELECT coalesce(max(id), 0) FROM points WHERE message = ?';
      copy.run(`DELETE FROM points WHERE id > (${last})`, upTo);
    } finally {
      copy.close();
    }
  }

  close(): void {
    this.#file.close();
  }
}

function changeOf({ path, before, after, calls, at }: ChangeRow): Change & { readonly at: number } {
  return {
    path,
    before: entryOf(before),
    after: entryOf(after),
    calls: calls === null ? null : JSON.parse(calls),
    at,
  };
}
