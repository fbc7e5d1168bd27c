/** The address of the requests to one model, and their common headers. */
export interface Endpoint {
  readonly apiKey: string;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** A request built by an official client. */
export interface BuiltRequest {
  readonly url: string;
  readonly headers: ConstructorParameters<typeof Headers>[0];
}

/** Headers that change per request; the clients' notes about themselves, which no service uses, begin with `x-stainless-`. */
const NOT_REUSED = /^(?:content-length|idempotency-key|x-stainless-.*)$/;

/** Finds the endpoint of a model: the official client builds one request, whose address and headers are used until the key changes. */
export class EndpointFinder {
  readonly #keyOf: () => string;
  readonly #build: (apiKey: string) => Promise<BuiltRequest>;
  #key: string | undefined;
  #endpoint: Promise<Endpoint> | undefined;

  constructor(keyOf: () => string, build: (apiKey: string) => Promise<BuiltRequest>) {
    this.#keyOf = keyOf;
    this.#build = build;
  }

  /** @throws AuthenticationError when the key is gone */
  find(): Promise<Endpoint> {
    const apiKey = this.#keyOf();
    if (!this.#endpoint || this.#key !== apiKey) {
      this.#key = apiKey;
      this.#endpoint = this.#build(apiKey).then((built) => endpointOf(built, apiKey));
    }
    return this.#endpoint;
  }
}

function endpointOf(built: BuiltRequest, apiKey: string): Endpoint {
  const headers = Object.fromEntries([...new Headers(built.headers)].filter(([name]) => !NOT_REUSED.test(name)));
  const { origin, pathname, search } = new URL(built.url);
  return { apiKey, origin, path: pathname + search, headers };
}

/**
 * Takes away the headers that the official clients of OpenAI and Anthropic add from a variable (`name: value`, one a line), whatever
 * address they are made for: what a host wants to be sent it says in its configuration.
 */
export function withoutEnvironmentHeaders(variable: string): Readonly<Record<string, null>> {
  const lines = (process.env[variable] ?? '').split('\n').filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).trim().toLowerCase(), null]));
}
