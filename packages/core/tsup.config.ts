import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    entry: {
      index: 'src/index.ts',
      'command-line/index': 'src/command-line/index.ts',
      'delegation/index': 'src/delegation/index.ts',
      'json-schema/index': 'src/json-schema/index.ts',
      'option-rules': 'src/option-rules.ts',
      'path-pattern/index': 'src/path-pattern/index.ts',
      'testing/index': 'src/testing/index.ts',
    },
  }),
);
