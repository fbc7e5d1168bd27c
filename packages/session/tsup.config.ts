import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    entry: {
      index: 'src/index.ts',
      'store-port': 'src/store-port.ts',
      internal: 'src/internal.ts',
      'testing/index': 'src/testing/index.ts',
      'ui/index': 'src/ui/index.ts',
      'ag-ui/index': 'src/ag-ui/index.ts',
      'postgres/index': 'src/postgres/index.ts',
      'operations/index': 'src/operations/index.ts',
      'pg-boss/index': 'src/pg-boss/index.ts',
      'bullmq/index': 'src/bullmq/index.ts',
    },
    node: true,
    after:
      'store-port testing/index ui/index ag-ui/index postgres/index operations/index pg-boss/index bullmq/index'.split(
        ' ',
      ),
  }),
);
