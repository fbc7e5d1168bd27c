import type { RunContext, Tool } from '@x/core';
import { deadline, hasSameItems, unlessAborted } from '@x/core/internal';
import type { McpProblem } from '../definitions/definition.ts';
import { listAll } from '../definitions/list-all.ts';
import { toolNamesMayMeet } from '../definitions/tool-name.ts';
import type { McpPin, ToolPins } from '../definitions/tool-pins.ts';
import { McpError } from '../port/mcp-error.ts';
import { serveRun } from '../tools/servers-of-run.ts';
import { completionOf, completionParams, type McpCompletion, type McpCompletionRequest } from './completion.ts';
import type {
  McpItem,
  McpPrompt,
  McpReadyOptions,
  McpResource,
  McpResourceTemplate,
  McpWaitOptions,
  SessionHub,
} from './hub-interface.ts';
import { joined } from './joined-lists.ts';
import type { McpResourceListener } from './resource-subscriptions.ts';
import type { About, ServerLink } from './server-link.ts';
import type { McpServerStatus, McpToolInfo } from './types.ts';

/** At most as many resources or prompts of one server. */
const MOST_LISTED = 10_000;

interface ListOf {
  readonly method: string;
  readonly key: string;
  readonly id: string;
  readonly about: About;
}

const NONE: readonly Tool[] = [];

export class OwnMcpHub implements SessionHub {
  readonly #links: ReadonlyMap<string, ServerLink>;
  readonly #firstTries: ReadonlyMap<ServerLink, Promise<void>>;
  readonly #pins: ToolPins;
  #tools: readonly Tool[] = [];
  /** Of which `tools` were made. */
  #lists: readonly (readonly Tool[])[] = [];
  #isClosed = false;

  constructor(links: ReadonlyMap<string, ServerLink>, pins: ToolPins) {
    this.#links = links;
    this.#pins = pins;
    this.#firstTries = new Map([...links.values()].map((link) => [link, link.begin()])); // none rejects
  }

  tools(): readonly Tool[] {
    const lists = [...this.#links.values()].map((link) => (link.isOffered ? link.tools.offered : NONE));
    if (hasSameItems(lists, this.#lists)) return this.#tools;
    this.#lists = lists;
    const equal = this.#equalNames();
    const offered = joined(lists);
    const tools = equal.size === 0 ? offered : offered.filter(({ name }) => !equal.has(name));
    if (!hasSameItems(tools, this.#tools)) this.#tools = tools;
    return this.#tools;
  }

  serve(run: RunContext): void {
    serveRun(run, this.#links);
  }

  listTools(): McpToolInfo[] {
    return [...this.#links.values()].flatMap((link) => (link.isOffered ? link.tools.infos : []));
  }

  status(): McpServerStatus[] {
    const equal = this.#equalNames();
    return [...this.#links.values()].map((link) => withEqual(link, equal));
  }

  async ready({ timeoutMs, signal, unknownOnly = false }: McpReadyOptions = {}): Promise<void> {
    const awaited = [...this.#firstTries].filter(([link]) => !(unknownOnly && link.isPatient));
    if (awaited.length === 0 && !signal?.aborted) return;
    for (const [link] of awaited) link.wake();
    const bound = deadline(signal ?? new AbortController().signal, timeoutMs);
    try {
      await unlessAborted(() => Promise.all(awaited.map(([, tried]) => tried)), bound.signal);
    } catch (error) {
      if (!bound.expired) throw error;
    } finally {
      bound.clear();
    }
  }

  async connect(serverName: string): Promise<void> {
    await this.#linkOf(serverName).connect();
  }

  async disconnect(serverName: string): Promise<void> {
    await this.#linkOf(serverName).disconnect();
  }

  async reconnect(serverName: string): Promise<void> {
    await this.#linkOf(serverName).reconnect();
  }

  async authorize(serverName: string, code: string): Promise<void> {
    const link = this.#linkOf(serverName);
    await link.authorize(code);
  }

  approve(serverName: string, name?: string): void {
    if (!this.#linkOf(serverName).approve(name))
      throw configError(serverName, `has no tool ${String(name).slice(0, 100)}`);
  }

  recall(pins: readonly McpPin[]): void {
    if (this.#pins.recall(pins)) for (const link of this.#links.values()) link.judgeAgain();
  }

  pins(): McpPin[] {
    return this.#pins.list();
  }

  async listResources(serverName: string, options?: McpWaitOptions): Promise<readonly McpResource[]> {
    return (await this.#list(
      serverName,
      { method: 'resources/list', key: 'resources', id: 'uri', about: 'resources' },
      options,
    )) as McpResource[]; // safe: looked at
  }

  async listResourceTemplates(serverName: string, options?: McpWaitOptions): Promise<readonly McpResourceTemplate[]> {
    const list = {
      method: 'resources/templates/list',
      key: 'resourceTemplates',
      id: 'uriTemplate',
      about: 'resources',
    } as const;
    return (await this.#list(serverName, list, options)) as McpResourceTemplate[]; // safe: looked at
  }

  async readResource(serverName: string, uri: string, options?: McpWaitOptions): Promise<readonly McpItem[]> {
    return await this.#items(serverName, { method: 'resources/read', key: 'contents', params: { uri } }, options);
  }

  async listPrompts(serverName: string, options?: McpWaitOptions): Promise<readonly McpPrompt[]> {
    return (await this.#list(
      serverName,
      { method: 'prompts/list', key: 'prompts', id: 'name', about: 'prompts' },
      options,
    )) as McpPrompt[]; // safe: looked at
  }

  async getPrompt(
    serverName: string,
    name: string,
    values: Readonly<Record<string, string>> = {},
    options?: McpWaitOptions,
  ): Promise<readonly McpItem[]> {
    const params = { name, arguments: values };
    return await this.#items(serverName, { method: 'prompts/get', key: 'messages', params }, options);
  }

  async complete(
    serverName: string,
    request: McpCompletionRequest,
    options: McpWaitOptions = {},
  ): Promise<McpCompletion> {
    const link = this.#linkOf(serverName);
    const params = completionParams(request);
    return completionOf(
      await bounded(options, (signal) => link.ask('completion/complete', params, signal, 'completions')),
    );
  }

  async subscribe(
    serverName: string,
    uri: string,
    listener: McpResourceListener,
    options: McpWaitOptions = {},
  ): Promise<() => Promise<void>> {
    const link = this.#linkOf(serverName);
    return await bounded(options, (signal) => link.subscribe(uri, listener, signal));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#links.values()].map((link) => link.disconnect()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #list(
    serverName: string,
    { method, key, id, about }: ListOf,
    options: McpWaitOptions = {},
  ): Promise<McpItem[]> {
    const link = this.#linkOf(serverName);
    return await bounded(options, async (signal) => {
      const { items } = await listAll((params) => link.ask(method, params, signal, about), key, MOST_LISTED);
      return items.filter(isItem).filter((item) => typeof item[id] === 'string');
    });
  }

  async #items(
    serverName: string,
    { method, key, params }: { readonly method: string; readonly key: string; readonly params: object },
    options: McpWaitOptions = {},
  ): Promise<McpItem[]> {
    const link = this.#linkOf(serverName);
    const result = await bounded(options, (signal) => link.ask(method, params, signal));
    const items = result[key];
    return Array.isArray(items) ? items.filter(isItem) : [];
  }

  /** Shortened names of two servers may be equal. */
  #equalNames(): ReadonlySet<string> {
    const links = [...this.#links].filter(([name, link]) => link.isOffered && toolNamesMayMeet(name));
    const names = links.flatMap(([, link]) => link.tools.offered.map(({ name }) => name));
    const seen = new Set<string>();
    return new Set(names.filter((name) => seen.size === seen.add(name).size));
  }

  #linkOf(serverName: string): ServerLink {
    const link = this.#links.get(serverName);
    if (!link) throw configError(serverName, 'is unknown', [...this.#links.keys()]);
    if (this.#isClosed) throw configError(serverName, 'cannot be used: the hub is closed');
    return link;
  }
}

function configError(serverName: string, text: string, known?: readonly string[]): McpError {
  const names = known ? `; known: ${known.slice(0, 20).join(', ') || 'none'}` : '';
  return new McpError(`MCP server ${String(serverName).slice(0, 100)} ${text}${names}`, {
    serverName,
    errorType: 'CONFIG_ERROR',
  });
}

async function bounded<T>({ timeoutMs, signal }: McpWaitOptions, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const bound = deadline(signal ?? new AbortController().signal, timeoutMs);
  try {
    return await run(bound.signal);
  } finally {
    bound.clear();
  }
}

function isItem(value: unknown): value is McpItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withEqual(link: ServerLink, equal: ReadonlySet<string>): McpServerStatus {
  const status = link.status();
  const mine = equal.size === 0 ? [] : link.tools.offered.filter(({ name }) => equal.has(name));
  if (mine.length === 0) return status;
  const problems = mine.map(
    ({ name }): McpProblem => ({
      kind: 'equal',
      name,
      message: `${name} is left out: a tool of another server has this name`,
    }),
  );
  const own = link.tools.infos.filter(({ approved, toolName }) => approved && !equal.has(toolName));
  const tools = own.map(({ name }) => name);
  return { ...status, toolCount: tools.length, tools, problems: [...(status.problems ?? []), ...problems] };
}
