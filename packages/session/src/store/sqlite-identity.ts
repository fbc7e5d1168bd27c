import type { DatabaseSync } from 'node:sqlite';
import { AgentError } from '@x/core';

/** In the header of our files (sqlite.org/pragma.html#pragma_application_id): `agtS`. */
export const APPLICATION_ID = 0x61677453;

/** Tables of files from versions before the id was set. */
const OWN_TABLES = ['sessions', 'entries', 'inbox', 'delivered', 'snapshots'];

/** Refuses a database of another program before changing anything. @throws AgentError `STORE_FAILED` */
export function checkIdentity(database: DatabaseSync, path: string): void {
  const id = database.prepare('pragma application_id').get()?.['application_id'];
  if (id === APPLICATION_ID) return;
  const tables = new Set(
    database
      .prepare('select name from sqlite_schema')
      .all()
      .map(({ name }) => name),
  );
  if (id === 0 && (tables.size === 0 || OWN_TABLES.every((name) => tables.has(name)))) return;
  const message = `${path} is a database of another program, and is left as it is; name another file for the sessions`;
  throw new AgentError(message, { code: 'STORE_FAILED', statusCode: 503 });
}
