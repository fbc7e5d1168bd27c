import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { WithAccess } from '../wire/access.ts';
import { withoutEnvironmentHeaders } from '../wire/endpoint.ts';
import type { AnthropicConfig } from '../wire/provider-config.ts';
import { ANTHROPIC_URL } from './anthropic-url.ts';

/** Removed because the client adds it; other libraries want it in the address. */
const VERSION = /\/v1\/?$/;

/** Creates the official client for this configuration and key, sending through `send`; the package is loaded on first use. */
export async function anthropicClient(
  { apiKey, baseUrl, headers }: WithAccess<AnthropicConfig>,
  send: typeof fetch = fetch,
): Promise<BaseAnthropic> {
  const { BaseAnthropic: Client } = await import('@anthropic-ai/sdk/client');
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  // all given, because the client would read missing values from the environment or a profile, for whatever address
  return new Client({
    apiKey,
    authToken: null,
    webhookKey: null,
    baseURL: (baseUrl ?? ANTHROPIC_URL).replace(VERSION, ''),
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    fetch: send,
    defaultHeaders: {
      ...withoutEnvironmentHeaders('ANTHROPIC_CUSTOM_HEADERS'),
      // the client itself sends a bearer token; compatible services and its older versions expect this header
      'x-api-key': apiKey,
      ...Object.fromEntries(own),
    },
  });
}
