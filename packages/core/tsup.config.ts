import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    entry: {
      index: 'src/index.ts',
      'command-line/index': 'src/command-line/index.ts',
      'json-schema/index': 'src/json-schema/index.ts',
      'path-pattern/index': 'src/path-pattern/index.ts',
      'streams/index': 'src/streams/index.ts',
      'testing/index': 'src/testing/index.ts',
    },
  }),
);
