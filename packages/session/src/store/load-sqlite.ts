import type { DatabaseSync } from 'node:sqlite';

/** Loads SQLite without the warning of Node 22 that it is experimental. Synchronous, so that no other warning is suppressed. */
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
