import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    entry: {
      index: 'src/index.ts',
      'driver-port': 'src/driver-port.ts',
      internal: 'src/internal.ts',
      'testing/index': 'src/testing/index.ts',
    },
    node: true,
    after: ['driver-port', 'testing/index'],
  }),
);
