import type { KeeperFile } from './keeper-file.ts';

/** A page of SQLite, 4,096 bytes, holds whole rows: eight of these fill it, where one content of half a page would take one to itself. */
const PIECE_BYTES = 496;
/** A content from this size on is one row, most of which fills pages of its own. */
const WHOLE_BYTES = 12 * 1024;

/** Contents by hash. Each is a row in `contents`, and its bytes are rows in `pieces`, from `first` on; an empty one has none. */
export class ContentTable {
  readonly #file: KeeperFile;

  constructor(file: KeeperFile) {
    this.#file = file;
  }

  /** Of all contents. */
  bytes(): number {
    return this.#file.one<{ sum: number | null }>('SELECT sum(size) AS sum FROM contents')?.sum ?? 0;
  }

  has(hash: string): boolean {
    return this.#rowOf(hash) !== undefined;
  }

  read(hash: string): Uint8Array | undefined {
    const row = this.#rowOf(hash);
    if (!row) return undefined;
    const end = row.first + piecesOf(row.size);
    const sql = 'SELECT bytes FROM pieces WHERE id >= ? AND id < ? ORDER BY id';
    const pieces = this.#file.all<{ bytes: Uint8Array }>(sql, row.first, end);
    return pieces.length === 1 ? pieces[0]!.bytes : Buffer.concat(pieces.map(({ bytes }) => bytes));
  }

  /** Adds a content that is not there yet. */
  add(hash: string, content: Uint8Array): void {
    const { first } = this.#file.one<{ first: number }>('SELECT coalesce(max(id), 0) + 1 AS first FROM pieces')!;
    const count = piecesOf(content.length);
    for (let at = 0; at < count; at++) {
      const bytes = count === 1 ? content : content.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES);
      this.#file.run('INSERT INTO pieces VALUES (?, ?)', first + at, bytes);
    }
    this.#file.run('INSERT INTO contents VALUES (?, ?, ?)', hash, first, content.length);
  }

  /** Removes the contents whose hashes a query does not name. */
  removeBut(hashes: string): void {
    for (const { hash, first, size } of this.#file.all<ContentRow & { readonly hash: string }>(
      `SELECT * FROM contents WHERE hash NOT IN (${hashes})`,
    )) {
      this.#file.run('DELETE FROM pieces WHERE id >= ? AND id < ?', first, first + piecesOf(size));
      this.#file.run('DELETE FROM contents WHERE hash = ?', hash);
    }
  }

  #rowOf(hash: string): ContentRow | undefined {
    return this.#file.one<ContentRow>('SELECT first, size FROM contents WHERE hash = ?', hash);
  }
}

interface ContentRow {
  readonly first: number;
  readonly size: number;
}

function piecesOf(size: number): number {
  return size < WHOLE_BYTES ? Math.ceil(size / PIECE_BYTES) : 1;
}
