import { isDeepStrictEqual } from 'node:util';
import { type Access, secretsOf } from './access.ts';

/** The address of the requests to one model, and their common headers. */
export interface Endpoint {
  readonly access: Access;
  /** Texts that errors must not show. */
  readonly secrets: readonly string[];
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

type AccessFor = (signal: AbortSignal, before?: Access) => Access | Promise<Access>;

/** Finds the endpoint of a model: the official client builds one request, whose address and headers are used until its key or headers change. */
export class EndpointFinder {
  readonly #accessFor: AccessFor;
  readonly #build: (access: Access) => Promise<BuiltRequest>;
  #access: Access | undefined;
  #endpoint: Promise<Endpoint> | undefined;

  constructor(accessFor: AccessFor, build: (access: Access) => Promise<BuiltRequest>) {
    this.#accessFor = accessFor;
    this.#build = build;
  }

  /** @throws AuthenticationError when the key is gone; ModelError when a function of the host gives none */
  find(signal: AbortSignal): Promise<Endpoint> {
    const access = this.#accessFor(signal, this.#access);
    return access instanceof Promise ? access.then((given) => this.#of(given)) : this.#of(access);
  }

  #of(access: Access): Promise<Endpoint> {
    if (!this.#endpoint || (access !== this.#access && !isDeepStrictEqual(access, this.#access))) {
      this.#access = access;
      this.#endpoint = this.#build(access).then((built) => endpointOf(built, access));
    }
    return this.#endpoint;
  }
}

/** The endpoint with the headers that one request has beside those of all. */
export function endpointFor<Request>(
  endpoint: Endpoint,
  request: Request,
  headersOf?: (request: Request, headers: Endpoint['headers']) => Endpoint['headers'] | undefined,
): Endpoint {
  const more = headersOf?.(request, endpoint.headers);
  return more ? { ...endpoint, headers: { ...endpoint.headers, ...more } } : endpoint;
}

function endpointOf(built: BuiltRequest, access: Access): Endpoint {
  const headers = Object.fromEntries([...new Headers(built.headers)].filter(([name]) => !NOT_REUSED.test(name)));
  const { origin, pathname, search } = new URL(built.url);
  return { access, secrets: secretsOf(access), origin, path: pathname + search, headers };
}

/**
 * Takes away the headers that the official clients of OpenAI and Anthropic add from a variable (`name: value`, one a line), whatever
 * address they are made for: what a host wants to be sent it says in its configuration.
 */
export function withoutEnvironmentHeaders(variable: string): Readonly<Record<string, null>> {
  const lines = (process.env[variable] ?? '').split('\n').filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).trim().toLowerCase(), null]));
}
