import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    entry: {
      index: 'src/index.ts',
      internal: 'src/internal.ts',
      'path-pattern/index': 'src/path-pattern/index.ts',
      'streams/index': 'src/streams/index.ts',
      'testing/index': 'src/testing/index.ts',
    },
  }),
);
