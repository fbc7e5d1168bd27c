import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    entry: { index: 'src/index.ts', main: 'src/main.ts', 'sessions/index': 'src/sessions/index.ts' },
    node: true,
  }),
);
