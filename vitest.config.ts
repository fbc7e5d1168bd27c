import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Node compiles what tests start, and their own workers, once instead of at each start. Not for coverage, which would be less exact.
if (!process.argv.some((one) => one.startsWith('--coverage')))
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile');

// Without `module`: workers hand the conditions on to Node, which cannot load what is built for bundlers.
const conditions = ['@x/source', 'node', 'development|production'];
// Files share workers: loading all sources anew for each takes as long as its tests. What replaces a global or a module stands apart.
const REPLACES =
  /\bvi\.(useFakeTimers|setSystemTime|stub\w+|mock|doMock|spyOn|resetModules)\(|\bprocess\.(chdir\(|env\b[^;]* = )/;
// Globs of the runner that measures coverage: `--exclude` of a command line does not reach projects with a list of their own.
const LEFT_OUT = (process.env['TESTS_LEFT_OUT'] ?? '').split(',').filter((glob) => glob !== '');
const testFiles = globSync('packages/*/{src,test}/**/*.test.ts', { cwd: import.meta.dirname, exclude: LEFT_OUT });
const APART = testFiles.filter((file) => REPLACES.test(readFileSync(join(import.meta.dirname, file), 'utf8')));
// A busy machine may take its time: what is polled for has as long as its test.
const PATIENT = { testTimeout: 180_000, expect: { poll: { timeout: 45_000 } } };
const resolve = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: ['@x/source'] } } };

export default defineConfig({
  test: {
    maxWorkers: Math.max(3, availableParallelism() - 1), // on two cores: many tests wait for processes that they have started
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.test-d.ts', '**/index.ts', 'packages/http/src/main.ts'], // the program is a process in its tests
      reporter: ['text-summary'],
      // Raised when more is covered, never lowered.
      thresholds: { statements: 98.8, branches: 97.1, functions: 98.8, lines: 99.3 },
    },
    projects: [
      {
        ...resolve,
        test: {
          name: 'unit',
          include: ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.mjs'],
          exclude: [...APART, ...LEFT_OUT, '**/node_modules/**'],
          isolate: false,
          setupFiles: [join(import.meta.dirname, 'scripts/checks/own-globals.mjs')],
          ...PATIENT,
        },
      },
      { ...resolve, test: { name: 'unit: apart', include: APART, ...PATIENT } },
      {
        ...resolve,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            checker: 'tsc',
            include: ['packages/*/src/**/*.test-d.ts'],
            tsconfig: 'tsconfig.types.json',
          },
        },
      },
    ],
  },
});
