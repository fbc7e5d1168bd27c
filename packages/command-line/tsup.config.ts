import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

// The parser is 17 files: loaded one by one they cost twice as much.
export default defineConfig(base({ entry: { index: 'src/index.ts' }, bundles: ['unbash'] }));
