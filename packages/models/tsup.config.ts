import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig({
  ...base({ entry: { index: 'src/index.ts', 'testing/index': 'src/testing/index.ts' }, node: true }),
  // The client is some 200 files: loaded one by one they cost more than all else before the first delta.
  noExternal: ['openai'],
});
