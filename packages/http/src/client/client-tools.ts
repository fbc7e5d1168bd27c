import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import type { ToolInfo } from '@x/registry';
import type { ListToolsQuery, SearchToolsRequest, ToolCallRequest } from '../routes/messages.ts';
import type { Requests } from './requests.ts';

/** Ends a request. */
export interface WithSignal {
  readonly signal?: AbortSignal;
}
/** One tool of the server. `registeredAt` is a text, ISO 8601. */
export interface ServedTool extends Omit<ToolInfo, 'registeredAt'> {
  readonly registeredAt: string;
}
/** One page of tools. */
export interface ServedTools {
  readonly tools: readonly ServedTool[];
  readonly pagination: {
    readonly page: number;
    readonly limit: number;
    readonly total: number;
    readonly totalPages: number;
  };
}
/** The best tools, and how many there are. */
export interface FoundTools {
  readonly query: string;
  readonly results: readonly ServedTool[];
  readonly total: number;
}
/** Options of a search. */
export type FindToolsOptions = Omit<SearchToolsRequest, 'query'> & WithSignal;
/** Options of a call: milliseconds for each attempt, attempts after the first, milliseconds between them. */
export type CallToolOptions = NonNullable<ToolCallRequest['options']> & WithSignal;

const signal = is.abortSignal;
export const SIGNAL: OptionRules<WithSignal> = { signal };
const LIST: OptionRules<ListToolsQuery & WithSignal> = {
  category: is.text,
  tag: is.text,
  enabled: is.flag,
  page: is.count(),
  limit: is.count(1, 100),
  signal,
};
const SEARCH: OptionRules<FindToolsOptions> = {
  filters: is.nested({ category: is.text, tags: is.texts }),
  limit: is.count(1, 100),
  signal,
};
const CALL: OptionRules<CallToolOptions> = {
  timeout: is.finiteMilliseconds(600_000),
  retry: is.count(0, 10),
  retryDelay: is.finiteMilliseconds(60_000),
  signal,
};
const NAME = is.required(
  is.rule(
    'the name of a tool',
    (value) => typeof value === 'string' && !['', '.', '..'].includes(value) && value.isWellFormed(),
  ),
);

/** The tools of a server. All methods throw HttpError, AbortError and ValidationError. */
export class ClientTools {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** In the order of their registration; every filter given must fit. */
  async list(options: ListToolsQuery & WithSignal = {}): Promise<ServedTools> {
    checkOptions('Options of tools.list', options, LIST);
    const { signal, ...query } = options;
    return (await this.#requests.json({ path: '/v1/tools', query, signal })) as ServedTools; // safe: as the document has it
  }

  /** @throws HttpError `TOOL_NOT_FOUND` */
  async get(name: string, options: WithSignal = {}): Promise<ServedTool> {
    checkValue('name', name, NAME);
    checkOptions('Options of tools.get', options, SIGNAL);
    const path = `/v1/tools/${encodeURIComponent(name)}`;
    return (await this.#requests.json({ path, signal: options.signal })) as ServedTool; // safe: likewise
  }

  /** The enabled tools that match, best first. */
  async search(query: string, options: FindToolsOptions = {}): Promise<FoundTools> {
    checkOptions('Options of tools.search', options, SEARCH);
    const { signal, ...more } = options;
    const body = { query, ...more };
    return (await this.#requests.json({ method: 'POST', path: '/v1/tools/search', body, signal })) as FoundTools; // safe: likewise
  }

  /**
   * Runs a tool; resolves to its result, as JSON has it. Never sent twice: after `CONNECTION_FAILED`, and an error whose `outcome` is
   * `unknown`, its effect may have happened. An abort ends the tool on the server too.
   */
  async call(
    name: string,
    parameters: Readonly<Record<string, unknown>> = {},
    options: CallToolOptions = {},
  ): Promise<unknown> {
    checkOptions('Options of tools.call', options, CALL);
    const { signal, ...how } = options;
    const body: ToolCallRequest = { name, parameters, options: how };
    const answer = await this.#requests.json({ method: 'POST', path: '/v1/tools/call', body, signal });
    return (answer as { readonly result?: unknown }).result; // safe: it is an object
  }
}
