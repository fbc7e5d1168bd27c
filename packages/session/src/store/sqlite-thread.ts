import { AbortError } from '@x/core';

/** Statements for one file, in order. */
export interface FileWork {
  readonly path: string;
  readonly statements: readonly string[];
}

const PROGRAM = `
  const { DatabaseSync } = require('node:sqlite');
  for (const { path, statements } of require('node:worker_threads').workerData) {
    const database = new DatabaseSync(path);
    try {
      for (const statement of statements) database.exec(statement);
    } finally {
      database.close();
    }
  }`;

/**
 * Runs statements that may take seconds, in a thread with its own connections. `ended` resolves once it has stopped: SQLite finishes the
 * current statement. @throws AbortError immediately, and errors of SQLite
 */
export function onThread(
  work: readonly FileWork[],
  signal?: AbortSignal,
): { done: Promise<void>; ended: Promise<void> } {
  const done = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const { Worker } = process.getBuiltinModule('node:worker_threads'); // few processes start one
  const worker = new Worker(PROGRAM, { eval: true, workerData: work, execArgv: ['--no-warnings'] });
  const abort = () => {
    done.reject(new AbortError());
    void worker.terminate().catch(() => undefined);
  };
  worker.once('error', done.reject);
  worker.once('exit', () => {
    signal?.removeEventListener('abort', abort);
    done.resolve();
    ended.resolve();
  });
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  return { done: done.promise, ended: ended.promise };
}
