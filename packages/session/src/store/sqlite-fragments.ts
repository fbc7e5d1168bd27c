import type { ExpectedHead } from '../log/session-store.ts';
import type { WriteOptions } from './group-commit.ts';
import { notFound } from './refusals.ts';
import type { OpenSqlite } from './sqlite-file.ts';

/** Access of the parts of the store to its file. */
export interface Access {
  /** Absolute. */
  readonly path: string;
  /** The open file, for reads. */
  read(): OpenSqlite;
  /** Resolves when the changes of `work` are durable. */
  write<T>(work: (open: OpenSqlite) => T, options?: WriteOptions): Promise<T>;
}

/** Milliseconds since 1970, by the store's clock. */
export const NOW = "cast(unixepoch('subsec') * 1000 as integer)";

/**
 * Orders entries by key: the number of the session in the upper half, the sequence in the lower. So an append to the newest session is one
 * page at the end of the table, and a log is read in one sweep.
 */
const FIRST_KEY = '* 4294967296';
/** The first key of a session; one `?`, its id. */
export const KEYS_OF: string = `(select number from sessions where id = ?) ${FIRST_KEY}`;
/** The same for a session whose number is known and is the `?`. */
export const KEYS_OF_NUMBER: string = `cast(? as integer) ${FIRST_KEY}`;
/** The same for the session of the current row. */
export const KEYS_OF_ROW: string = `number ${FIRST_KEY}`;
/**
 * The sequence to add to one of them; one `?`. Cast, since Node binds a number as a real, which cannot hold the keys from the two millionth
 * session on.
 */
export const SEQUENCE = 'cast(? as integer)';
/** The amount to add for the last of them. */
export const LAST_KEY = 4_294_967_295;
/** The sequence in a key. */
export const SEQ: string = `key & ${LAST_KEY}`;

/** The last entry's sequence. Not a column of its own: an append would write a second page for it. */
export const HEAD: string = `(select ${SEQ} from entries where key between ${KEYS_OF_ROW} and ${KEYS_OF_ROW} + ${LAST_KEY}
  order by key desc limit 1)`;

/** @throws SessionError `SESSION_NOT_FOUND` */
export function headOf(all: OpenSqlite['all'], sessionId: string): ExpectedHead & { readonly number: number } {
  const [row] = all(`select number, ${HEAD} as head, epoch from sessions where id = ?`, sessionId);
  if (!row) throw notFound(sessionId);
  return { number: Number(row['number']), head: Number(row['head']), epoch: Number(row['epoch']) };
}
