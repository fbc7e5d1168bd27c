import type { OpenAI } from 'openai/client';
import type { WithAccess } from '../wire/access.ts';
import { withoutEnvironmentHeaders } from '../wire/endpoint.ts';
import type { AzureOpenAIConfig } from '../wire/provider-config.ts';
import { azureAddress } from './azure-address.ts';

/**
 * Creates the official client for this resource and key, sending through `send`; the package is loaded on first use. Without a deployment
 * it can only list.
 */
export async function azureClient(
  config: WithAccess<AzureOpenAIConfig>,
  { deployment, send = fetch }: { readonly deployment?: string; readonly send?: typeof fetch } = {},
): Promise<OpenAI> {
  const { resource, version, surface } = azureAddress(config.baseUrl, config.apiVersion);
  // all given, because the clients would read missing values from the environment, for whatever address
  const common = {
    apiKey: config.apiKey,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: send,
  } as const;
  const headers = {
    ...withoutEnvironmentHeaders('OPENAI_CUSTOM_HEADERS'),
    'api-key': config.apiKey,
    ...lowerCased(config.headers),
  };
  if (version === undefined) {
    const { OpenAI } = await import('openai/client');
    return new OpenAI({
      ...common,
      baseURL: `${resource}/openai/v1/`,
      // Azure has its own header for the key; one that the host sets, as for a token of Entra ID, stays
      defaultHeaders: { authorization: null, ...headers },
      ...(surface === undefined ? {} : { defaultQuery: { 'api-version': surface } }),
    });
  }
  const { AzureOpenAI } = await import('openai/azure');
  return new AzureOpenAI({
    ...common,
    baseURL: null,
    endpoint: resource,
    apiVersion: version,
    defaultHeaders: headers,
    ...(deployment === undefined ? {} : { deployment }),
  });
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
