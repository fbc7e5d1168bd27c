import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    node: true,
    after: ['testing/index'],
    entry: { index: 'src/index.ts', internal: 'src/internal.ts', 'testing/index': 'src/testing/index.ts' },
  }),
);
