import type { DatabaseSync } from 'node:sqlite';

/**
 * Node 22 warns that its SQLite is experimental; that one warning, at this one load, is kept from the reader. Synchronous, so that
 * nobody else's warning can come in between.
 */
export function loadSqlite(): { readonly DatabaseSync: typeof DatabaseSync } {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('SQLite')) emitWarning.call(process, warning, ...rest);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
