import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

// The SDK and what it needs are a hundred packages to install, of which a client needs ten.
export default defineConfig(
  base({
    entry: { index: 'src/index.ts', internal: 'src/internal.ts', 'server/index': 'src/server/index.ts' },
    node: true,
    together: ['internal'],
    bundles: ['@modelcontextprotocol/sdk'],
  }),
);
