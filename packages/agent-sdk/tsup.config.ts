import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';

export default defineConfig(
  base({
    together: [],
    entry: {
      index: 'src/index.ts',
      'ai-sdk': 'src/ai-sdk.ts',
      bedrock: 'src/bedrock.ts',
      checkpoint: 'src/checkpoint.ts',
      http: 'src/http.ts',
      'http-client': 'src/http-client.ts',
      'http-sessions': 'src/http-sessions.ts',
      metrics: 'src/metrics.ts',
      mcp: 'src/mcp.ts',
      routing: 'src/routing.ts',
      'service-files': 'src/service-files.ts',
      testing: 'src/testing.ts',
      ui: 'src/ui.ts',
      vertex: 'src/vertex.ts',
      'ag-ui': 'src/ag-ui.ts',
      postgres: 'src/postgres.ts',
      operations: 'src/operations.ts',
      'pg-boss': 'src/pg-boss.ts',
      bullmq: 'src/bullmq.ts',
    },
  }),
);
