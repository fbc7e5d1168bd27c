import { defineConfig } from 'tsup';
import { base } from '../../tsup.config.base.ts';
import { bundledClients } from './bundled-clients.ts';

// A client is some 200 files: loaded one by one they cost more than all else before the first delta.
const bundles = ['openai', '@anthropic-ai/sdk', '@google/genai', '@opentelemetry/api', 'p-retry'];

export default defineConfig(
  base({
    entry: {
      index: 'src/index.ts',
      internal: 'src/internal.ts',
      'testing/index': 'src/testing/index.ts',
      'service-files/index': 'src/service-files/index.ts',
      'routing/index': 'src/routing/index.ts',
      'ai-sdk/index': 'src/ai-sdk/index.ts',
      'bedrock/index': 'src/bedrock/index.ts',
      'vertex/index': 'src/vertex/index.ts',
    },
    node: true,
    bundles,
    after: 'testing/index service-files/index routing/index ai-sdk/index bedrock/index vertex/index'.split(' '),
    plugins: [bundledClients],
  }),
);
