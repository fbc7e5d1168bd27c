import type OpenAI from 'openai';
import type { WithAccess } from '../wire/access.ts';
import { withoutEnvironmentHeaders } from '../wire/endpoint.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';

const DEFAULT_URL = 'https://api.openai.com/v1';

/** Creates the official client for this configuration and key, sending through `send`; the package is loaded on first use. */
export async function openaiClient(
  { apiKey, baseUrl, headers }: WithAccess<OpenAICompatibleConfig>,
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
