import type { ProviderConfig } from '@x/models';

/** Where one way to speak to models sends its requests, and with what. */
export interface WireAddress {
  readonly config: (url: string) => ProviderConfig;
  readonly model: string;
  readonly path: string;
  /** The header that carries the key, and what stands before the key in it. */
  readonly auth: readonly [name: string, before: string];
  readonly variable: string;
  /** The official client's package. */
  readonly client: string;
  /** Fields that a request sets itself. */
  readonly reserved: readonly string[];
}
export const ADDRESSES: readonly (readonly [name: string, provider: WireAddress])[] = [
  [
    'openai-compatible, chat',
    {
      config: (url) => ({ type: 'openai-compatible', baseUrl: `${url}/v1` }),
      model: 'gpt-4o-mini',
      path: '/v1/chat/completions',
      auth: ['authorization', 'Bearer '],
      variable: 'OPENAI_API_KEY',
      client: 'openai',
      reserved: ['model', 'messages', 'stream', 'tools', 'response_format'],
    },
  ],
  [
    'openai-compatible, responses',
    {
      config: (url) => ({ type: 'openai-compatible', baseUrl: `${url}/v1`, api: 'responses' }),
      model: 'gpt-5',
      path: '/v1/responses',
      auth: ['authorization', 'Bearer '],
      variable: 'OPENAI_API_KEY',
      client: 'openai',
      reserved: ['model', 'input', 'stream', 'tools', 'instructions'],
    },
  ],
  [
    'anthropic',
    {
      config: (url) => ({ type: 'anthropic', baseUrl: url }),
      model: 'claude-sonnet-4-5',
      path: '/v1/messages',
      auth: ['x-api-key', ''],
      variable: 'ANTHROPIC_API_KEY',
      client: '@anthropic-ai',
      reserved: ['model', 'messages', 'stream', 'tools', 'system'],
    },
  ],
  [
    'gemini',
    {
      config: (url) => ({ type: 'gemini', baseUrl: url }),
      model: 'gemini-2.5-flash',
      path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      auth: ['x-goog-api-key', ''],
      variable: 'GEMINI_API_KEY',
      client: '@google',
      reserved: ['contents', 'tools', 'systemInstruction'],
    },
  ],
  [
    'azure-openai with a version',
    {
      config: (url) => ({ type: 'azure-openai', baseUrl: url, apiVersion: '2024-10-21' }),
      model: 'my-deployment',
      path: '/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21',
      auth: ['api-key', ''],
      variable: 'AZURE_OPENAI_API_KEY',
      client: 'openai',
      reserved: ['model', 'messages', 'stream', 'tools', 'response_format'],
    },
  ],
  [
    'azure-openai, responses with a version',
    {
      config: (url) => ({ type: 'azure-openai', api: 'responses', baseUrl: url, apiVersion: '2025-04-01-preview' }),
      model: 'gpt-5',
      path: '/openai/responses?api-version=2025-04-01-preview',
      auth: ['api-key', ''],
      variable: 'AZURE_OPENAI_API_KEY',
      client: 'openai',
      reserved: ['model', 'input', 'instructions', 'stream', 'tools'],
    },
  ],
  [
    'azure-openai, responses without a version',
    {
      config: (url) => ({ type: 'azure-openai', api: 'responses', baseUrl: url }),
      model: 'gpt-5',
      path: '/openai/v1/responses',
      auth: ['api-key', ''],
      variable: 'AZURE_OPENAI_API_KEY',
      client: 'openai',
      reserved: ['model', 'input', 'instructions', 'stream', 'tools'],
    },
  ],
  [
    'azure-openai without a version',
    {
      config: (url) => ({ type: 'azure-openai', baseUrl: url }),
      model: 'my-deployment',
      path: '/openai/v1/chat/completions',
      auth: ['api-key', ''],
      variable: 'AZURE_OPENAI_API_KEY',
      client: 'openai',
      reserved: ['model', 'messages', 'stream', 'tools', 'response_format'],
    },
  ],
];
