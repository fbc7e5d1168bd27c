/** The packages that a package may import; any other is a violation. */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  'json-schema': ['errors'],
  core: ['errors', 'json-schema'],
  'command-line': ['errors', 'core'],
  registry: ['errors', 'core', 'json-schema'],
  handlers: ['errors', 'core', 'json-schema', 'command-line'],
  models: ['errors', 'core'],
  tools: ['errors', 'core', 'json-schema'],
  mcp: ['errors', 'core', 'json-schema', 'sandbox'],
  sandbox: ['errors', 'core', 'command-line'],
  checkpoint: ['errors', 'core', 'sandbox'],
  executor: ['errors', 'core', 'handlers'],
  'tool-groups': ['errors', 'core', 'json-schema', 'registry', 'tools'],
  session: [
    'errors',
    'core',
    'json-schema',
    'registry',
    'handlers',
    'models',
    'tools',
    'mcp',
    'sandbox',
    'checkpoint',
    'executor',
    'tool-groups',
  ],
  http: ['errors', 'json-schema', 'core', 'registry', 'executor', 'mcp', 'session'],
  'agent-sdk': [
    'errors',
    'json-schema',
    'core',
    'command-line',
    'registry',
    'handlers',
    'models',
    'tools',
    'mcp',
    'sandbox',
    'checkpoint',
    'executor',
    'tool-groups',
    'session',
    'http',
  ],
};

/** The places and the way in which a package from outside may be imported. */
export interface Vendor {
  /** `core` or, narrower, `core/src/json-schema`. */
  readonly places: readonly string[];
  /** `lazy`: `await import()` and `import type`. `types`: `import type` only. `static`: small and pure, may load at import. */
  readonly how: 'lazy' | 'types' | 'static';
}

export const vendors: Readonly<Record<string, Vendor>> = {
  zod: { places: ['core', 'tools', 'handlers', 'registry', 'session', 'http'], how: 'types' },
  '@standard-schema/spec': { places: ['core'], how: 'types' },
  ajv: { places: ['json-schema'], how: 'static' },
  'ajv-formats': { places: ['json-schema'], how: 'static' },
  re2js: { places: ['json-schema'], how: 'static' },
  unbash: { places: ['command-line'], how: 'static' },
  picomatch: { places: ['handlers', 'tools', 'sandbox', 'checkpoint'], how: 'static' },
  '@opentelemetry/api': { places: ['handlers'], how: 'lazy' },
  openai: { places: ['models'], how: 'lazy' },
  undici: { places: ['models', 'sandbox'], how: 'lazy' },
  '@anthropic-ai/sdk': { places: ['models/src/anthropic'], how: 'lazy' },
  '@google/genai': { places: ['models/src/gemini'], how: 'lazy' },
  '@aws-sdk/client-bedrock-runtime': { places: ['models/src/bedrock'], how: 'lazy' },
  'google-auth-library': { places: ['models/src/vertex'], how: 'lazy' },
  '@modelcontextprotocol/sdk': { places: ['mcp/src/sdk'], how: 'lazy' },
  '@anthropic-ai/sandbox-runtime': { places: ['sandbox/src/drivers'], how: 'lazy' },
  '@vscode/ripgrep': { places: ['tools'], how: 'lazy' },
  parse5: { places: ['tools'], how: 'lazy' },
  diff: { places: ['tools', 'checkpoint'], how: 'static' },
  tinyglobby: { places: ['tools'], how: 'lazy' },
  pg: { places: ['session/src/postgres'], how: 'lazy' },
  'pg-boss': { places: ['session/src/pg-boss'], how: 'lazy' },
  bullmq: { places: ['session/src/bullmq'], how: 'lazy' },
  ioredis: { places: ['session/src/bullmq'], how: 'lazy' },
  hono: { places: ['http'], how: 'static' },
  '@hono/node-server': { places: ['http'], how: 'static' },
  '@hono/standard-validator': { places: ['http'], how: 'static' },
  'hono-openapi': { places: ['http'], how: 'static' },
};

/** Further packages that tests and test kits of any package may import. */
export const testVendors: readonly string[] = ['vitest', 'fast-check', '@fast-check/vitest', 'zod'];

/** Further packages that the tests of one package may import. */
export const testVendorsOf: Readonly<Record<string, readonly string[]>> = {
  'agent-sdk': ['oxc-parser'],
  handlers: ['@opentelemetry/sdk-trace-base', '@opentelemetry/sdk-metrics', '@opentelemetry/context-async-hooks'],
  core: ['valibot', '@valibot/to-json-schema', 'arktype'],
  'json-schema': ['ajv'],
  'command-line': ['unbash'],
  models: [
    '@copilotkit/aimock',
    'openai',
    '@anthropic-ai/sdk',
    '@anthropic-ai/vertex-sdk',
    '@aws-sdk/client-bedrock-runtime',
    '@google/genai',
    '@ai-sdk/anthropic',
    '@ai-sdk/google',
    '@ai-sdk/openai',
    '@ai-sdk/openai-v2',
    '@ai-sdk/openai-v3',
    '@ai-sdk/provider',
  ],
  mcp: ['@modelcontextprotocol/sdk'],
  registry: ['@modelcontextprotocol/sdk'],
  http: ['ajv', 'ajv-formats', '@opentelemetry/sdk-metrics'],
  session: [
    '@copilotkit/aimock',
    '@electric-sql/pglite',
    'pg-boss',
    'bullmq',
    'ioredis',
    '@opentelemetry/api',
    '@opentelemetry/sdk-trace-base',
    '@opentelemetry/context-async-hooks',
  ],
};

/** Other packages of the monorepo that tests of one package may import, at development time only. */
export const testImports: Readonly<Record<string, readonly string[]>> = {
  handlers: ['sandbox'],
  tools: ['sandbox'],
  models: ['json-schema'],
  checkpoint: ['sandbox'],
};

/** Packages whose sources import no `node:` module, so that they run wherever JavaScript runs. */
export const packagesWithoutNode: readonly string[] = [
  'errors',
  'json-schema',
  'core',
  'command-line',
  'tools',
  'handlers',
];
