import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    entry: { index: 'src/index.ts', internal: 'src/internal.ts', 'metrics/index': 'src/metrics/index.ts' },
    after: ['metrics/index'],
  }),
);
