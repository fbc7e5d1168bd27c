import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    entry: {
      index: 'src/index.ts',
      main: 'src/main.ts',
      'client/index': 'src/client/index.ts',
      'sessions/index': 'src/sessions/index.ts',
    },
    node: true,
  }),
);
