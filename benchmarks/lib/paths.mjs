import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where peers are installed and stores are written: outside the repository. */
export const HOME = process.env.BENCH_HOME ?? join(tmpdir(), 'x-benchmarks');

export const libraryFile = (name) => join(ROOT, 'lib', name);
