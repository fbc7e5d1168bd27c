import type { ExpectedHead } from '../log/session-store.ts';
import { notFound } from './refusals.ts';
import type { OpenSqlite } from './sqlite-file.ts';

/** How the parts of the store reach its file. */
export interface Access {
  /** The open file, for reads. */
  read(): OpenSqlite;
  /** Resolves when what `work` has done is durable. */
  write<T>(work: (open: OpenSqlite) => T): Promise<T>;
}

/** Milliseconds since 1970, by the store's clock. */
export const NOW = "cast(unixepoch('subsec') * 1000 as integer)";

/** The last entry's sequence. Not a column of its own: an append would write a second page for it. */
export const HEAD = '(select max(seq) from entries where session_id = id)';

/** @throws SessionError `SESSION_NOT_FOUND` */
export function headOf(all: OpenSqlite['all'], sessionId: string): ExpectedHead {
  const [row] = all(`select ${HEAD} as head, epoch from sessions where id = ?`, sessionId);
  if (!row) throw notFound(sessionId);
  return { head: Number(row['head']), epoch: Number(row['epoch']) };
}
