import type OpenAI from 'openai';
import { withoutEnvironmentHeaders } from '../wire/endpoint.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';

const DEFAULT_URL = 'https://api.openai.com/v1';

/** Creates the official client for this configuration and key, sending through `send`; the package is loaded on first use. */
export async function openaiClient(
  { baseUrl, headers }: OpenAICompatibleConfig,
  apiKey: string,
  send: typeof fetch = fetch,
): Promise<OpenAI> {
  const { OpenAI } = await import('openai/client');
  // all given, because the client would read missing values from the environment, for whatever address
  return new OpenAI({
    apiKey,
    baseURL: baseUrl ?? DEFAULT_URL,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: send,
    defaultHeaders: {
      ...withoutEnvironmentHeaders('OPENAI_CUSTOM_HEADERS'),
      authorization: `Bearer ${apiKey}`,
      ...headers,
    },
  });
}
