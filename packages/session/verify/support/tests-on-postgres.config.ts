import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '../../../..');
const conditions = ['@x/source', 'node', 'development|production'];
/** What the tests take for a store in memory. */
const STAND_IN = join(import.meta.dirname, 'memory-on-postgres.ts');

export default defineConfig({
  root,
  plugins: [
    {
      name: 'memory-on-postgres',
      enforce: 'pre',
      resolveId: (source: string) => (source.endsWith('/store/memory-store.ts') ? STAND_IN : undefined),
    },
  ],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['@x/source'] } },
  test: {
    include: (process.env['TESTS'] ?? '').split(','),
    testTimeout: 180_000,
    expect: { poll: { timeout: 45_000 } },
    maxWorkers: 2,
  },
});
