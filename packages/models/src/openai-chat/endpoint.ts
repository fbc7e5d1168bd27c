import type OpenAI from 'openai';
import { apiKeyOf, type OpenAICompatibleConfig } from '../provider-config.ts';

const DEFAULT_URL = 'https://api.openai.com/v1';
/** What the client says about one attempt of its own, and a length that is set per request. */
const NOT_REUSED = ['content-length', 'x-stainless-retry-count', 'x-stainless-timeout'];

/** Where chat completions of one configuration and key are, and what every request to them carries. */
export interface Endpoint {
  readonly apiKey: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The official client for this configuration and key; the package is loaded on first use. */
export async function openaiClient({ baseUrl }: OpenAICompatibleConfig, apiKey: string): Promise<OpenAI> {
  const { OpenAI } = await import('openai/client');
  // all given, because the client would take what is absent from the environment, for whatever address
  return new OpenAI({ apiKey, baseURL: baseUrl ?? DEFAULT_URL, organization: null, project: null, maxRetries: 0 });
}

/** Finds the endpoint of a configuration: the client builds one request, and what it has built is used as long as the key stays. */
export class EndpointFinder {
  readonly #config: OpenAICompatibleConfig;
  #key: string | undefined;
  #endpoint: Promise<Endpoint> | undefined;

  constructor(config: OpenAICompatibleConfig) {
    this.#config = config;
  }

  /** @throws AuthenticationError when there is no key any more */
  find(): Promise<Endpoint> {
    const apiKey = apiKeyOf(this.#config);
    if (!this.#endpoint || this.#key !== apiKey) {
      this.#key = apiKey;
      this.#endpoint = built(this.#config, apiKey);
    }
    return this.#endpoint;
  }
}

async function built(config: OpenAICompatibleConfig, apiKey: string): Promise<Endpoint> {
  const client = await openaiClient(config, apiKey);
  const options = { method: 'post', path: '/chat/completions', body: {} } as const;
  const { req, url } = await client.buildRequest(options);
  const headers = Object.fromEntries(new Headers(req.headers));
  for (const name of NOT_REUSED) delete headers[name];
  const { origin, pathname, search } = new URL(url);
  return { apiKey, origin, path: pathname + search, headers };
}
