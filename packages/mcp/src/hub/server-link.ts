import { messageOf } from '@x/core/internal';
import { listAll } from '../definitions/list-all.ts';
import { plainOrItself } from '../definitions/read-definitions.ts';
import type { ToolPins } from '../definitions/tool-pins.ts';
import type { McpRemoteServerBase, McpServerConfig } from '../port/config.ts';
import {
  type McpConnection,
  type McpConnectionEvents,
  type McpConnectionSetup,
  type McpHostHandlers,
  type McpLogLevel,
  type McpPlace,
  type McpRequestOptions,
} from '../port/connection.ts';
import type { McpLimits } from '../port/limits.ts';
import type { ServerCall } from '../tools/mcp-tool.ts';
import { ownTools, sharedTools } from '../tools/tools-of-server.ts';
import { ConnectionLife } from './connection-life.ts';
import { Exchange } from './exchange.ts';
import type { KnownTools } from './known-tools.ts';
import { Refresher } from './refresher.ts';
import { type McpResourceListener, ResourceSubscriptions } from './resource-subscriptions.ts';
import { ServerTools } from './server-tools.ts';
import type { McpNotice, McpReconnectOptions, McpServerStatus } from './types.ts';

export interface ServerLinkSetup {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly open: (setup: McpConnectionSetup) => Promise<McpConnection>;
  readonly finishAuth: (name: string, config: McpRemoteServerBase, code: string) => Promise<void>;
  readonly place: McpPlace;
  readonly handlers: McpHostHandlers;
  readonly logLevel: McpLogLevel | undefined;
  readonly limits: Required<McpLimits>;
  readonly reconnect: Required<McpReconnectOptions>;
  readonly pins: ToolPins;
  readonly hasResourceTools: boolean;
  /** True: its tools may be those of other sessions, and find their server by the run of a call. */
  readonly sharesTools: boolean;
  readonly known: KnownTools;
  /** Milliseconds before the first connection, when the tools are known without it. */
  readonly knownWaitMs: number;
  readonly notify: (notice: McpNotice) => void;
}

/** The feature that a request needs, and that a server may not have. */
export type About = 'resources' | 'prompts' | 'completions';

/** Of one request, by default. */
const TIMEOUT_MS = 60_000;
/** Of a list with a thousand faults the first ones say enough; all are in the status. */
const MOST_NOTICES = 20;

/** One server: its connection, its tools, and what is asked of it. */
export class ServerLink {
  readonly tools: ServerTools;
  /** True for one that waits until it is needed: its tools were known from the beginning. */
  readonly isPatient: boolean;
  readonly #setup: ServerLinkSetup;
  readonly #life: ConnectionLife;
  readonly #refresher: Refresher = new Refresher(() => this.#refresh());
  readonly #subscriptions: ResourceSubscriptions;
  readonly #exchange: Exchange;
  /** False while all that is known comes from the cache: nobody was told what is wrong with it. */
  #hasListed = false;

  constructor(setup: ServerLinkSetup) {
    this.#setup = setup;
    const { name: serverName, config, limits, pins, known, reconnect } = setup;
    const isTrusted = config.trusted === true;
    const maker = setup.sharesTools
      ? sharedTools(serverName, isTrusted)
      : ownTools(serverName, isTrusted, {
          call: (call) => this.call(call),
          ask: (method, params, { signal }) => this.ask(method, params, signal),
        });
    this.tools = new ServerTools({ serverName, limits, pins, hasResourceTools: setup.hasResourceTools, maker });
    const remembered = known.get();
    this.isPatient = remembered !== undefined && setup.knownWaitMs > 0;
    if (remembered) this.tools.take(remembered.tools, { isCut: false, resources: remembered.resources });
    this.#subscriptions = new ResourceSubscriptions({
      serverName,
      subscribe: (uri, signal) => this.#subscribe(uri, signal),
      connection: () => this.#life.connection,
      failed: (uri, error) => this.#notify('mcp_problem', `no longer tells of ${uri}: ${messageOf(error)}`),
      timeoutMs: Math.min(limits.shutdownMs, 1_000),
    });
    this.#life = new ConnectionLife({
      serverName,
      isWatched: config.type === 'http',
      reconnect,
      open: (lost, signal) => this.#open(lost, signal),
      leave: (connection) => this.#subscriptions.leave(connection),
      changed: (text) => this.#notify('mcp_status', text, { status: this.#life.state }),
    });
    const { elicitUrl } = setup.handlers;
    const { timeoutMs = TIMEOUT_MS } = config;
    this.#exchange = new Exchange(this.#life, { serverName, maxPending: limits.maxPending, timeoutMs, elicitUrl });
  }

  /** True while its tools can be called, perhaps after a wait. */
  get isOffered(): boolean {
    return this.#life.connection !== undefined || this.#life.isOnTheWay;
  }

  status(): McpServerStatus {
    const tools = this.isOffered ? this.tools.approvedNames : [];
    const { state, connectedAt, error } = this.#life;
    const { problems } = this.tools;
    return {
      name: this.#setup.name,
      status: state,
      toolCount: tools.length,
      tools,
      ...(connectedAt ? { connectedAt } : {}),
      ...(error === undefined ? {} : { error }),
      ...(problems.length > 0 ? { problems } : {}),
    };
  }

  /** The first connection. Resolves when it was tried; never rejects. */
  async begin(): Promise<void> {
    if (this.isPatient) await this.#life.connectLater(this.#setup.knownWaitMs);
    else await this.#life.connect().catch(() => undefined); // the status says why
  }

  /** Waits no longer to be needed. */
  wake(): void {
    this.#life.wake();
  }

  /** @throws McpError when the server cannot be used; it may be tried again by itself */
  async connect(): Promise<void> {
    await this.#life.connect();
  }

  /** Resolves when the server is gone. */
  async disconnect(): Promise<void> {
    this.#refresher.stop();
    await this.#life.disconnect();
  }

  async reconnect(): Promise<void> {
    await this.disconnect();
    await this.connect();
  }

  /** Ends a sign-in with a code, and connects. @throws McpError */
  async authorize(code: string): Promise<void> {
    const { name, config, finishAuth } = this.#setup;
    if (config.type !== 'http' && config.type !== 'sse') throw this.#life.errorWith('has no sign-in', 'CONFIG_ERROR');
    await finishAuth(name, config, code);
    await this.reconnect();
  }

  /** Offers tools that have changed. False for an unknown name. */
  approve(name: string | undefined): boolean {
    const before = this.tools.offered.length;
    const isKnown = this.tools.approve(name);
    if (this.tools.offered.length !== before) this.#notify('mcp_tools', 'has tools that were approved');
    return isKnown;
  }

  /** Looks at the pins, which have changed. */
  judgeAgain(): void {
    if (this.tools.judge()) this.#notify('mcp_tools', 'has tools that were approved elsewhere, or no longer');
  }

  /** A request of the host; the result is empty when it is about something that the server does not have. @throws McpError, AbortError */
  async ask(
    method: string,
    params: object | undefined,
    signal: AbortSignal,
    about?: About,
  ): Promise<Readonly<Record<string, unknown>>> {
    return await this.#exchange.send(signal, async (connection) => {
      if (about && !connection.capabilities[about]) return {};
      return await connection.request(method, params, this.#options(signal));
    });
  }

  /** Resolves when the server has taken it, with what ends it. @throws McpError, AbortError */
  async subscribe(uri: string, listener: McpResourceListener, signal: AbortSignal): Promise<() => Promise<void>> {
    return await this.#subscriptions.add(uri, listener, signal);
  }

  async #subscribe(uri: string, signal: AbortSignal): Promise<void> {
    await this.#exchange.send(signal, async (connection) => {
      if (!connection.capabilities.subscriptions)
        throw this.#life.errorWith('takes no subscriptions to resources', 'PROTOCOL_ERROR');
      await connection.request('resources/subscribe', { uri }, this.#options(signal));
    });
  }

  /** A call of a tool that was offered. @throws McpError, AbortError */
  async call({ tool, input, signal, onProgress, onSent }: ServerCall): Promise<Readonly<Record<string, unknown>>> {
    return await this.#exchange.send(signal, async (connection) => {
      if (!this.tools.isCurrent(tool)) {
        const text = `has no ${tool.toolName} as it was offered: it has changed or is gone`;
        throw this.#life.errorWith(text, 'PROTOCOL_ERROR');
      }
      onSent();
      const params = { name: tool.name, arguments: input };
      return await connection.request('tools/call', params, { ...this.#options(signal), onProgress });
    });
  }

  async #open(lost: McpConnectionEvents['lost'], signal: AbortSignal): Promise<McpConnection> {
    const { name, config, open, place, handlers, limits } = this.#setup;
    let failure: Error | undefined;
    const events: McpConnectionEvents = {
      lost: (error) => {
        failure = error;
        lost(error);
      },
      toolsChanged: () => this.#refresher.ask(),
      resourceUpdated: (uri) => this.#subscriptions.update(uri),
    };
    const { totalTimeoutMs } = this.#options(signal);
    const { connectTimeoutMs = 30_000 } = config;
    const connection = await open({
      serverName: name,
      config,
      place,
      handlers,
      signal,
      events,
      limits: { ...limits, totalTimeoutMs, connectTimeoutMs },
    });
    try {
      await this.#list(connection, signal);
      await this.#askForLogs(connection, signal);
      if (failure) throw failure;
      void this.#subscriptions.renew(connection); // never rejects; nothing else waits for it
      return connection;
    } catch (error) {
      await connection.close();
      throw failure ?? error;
    }
  }

  /** A server that does not take the level may log all the same, or nothing: neither is a reason to do without it. */
  async #askForLogs(connection: McpConnection, signal: AbortSignal): Promise<void> {
    const { logLevel: level } = this.#setup;
    if (level === undefined || !connection.capabilities.logging) return;
    await connection.request('logging/setLevel', { level }, this.#options(signal)).catch(() => undefined);
  }

  async #refresh(): Promise<void> {
    const { connection } = this.#life;
    const { signal } = new AbortController();
    // A lost connection says so itself, and its successor lists them anyway; else the old list stays.
    if (connection) await this.#list(connection, signal).catch(() => undefined);
  }

  async #list(connection: McpConnection, signal: AbortSignal): Promise<void> {
    const ask = (params: object) => connection.request('tools/list', params, this.#options(signal));
    const none = { items: [], isCut: false };
    const { maxTools } = this.#setup.limits;
    const { items, isCut } = connection.capabilities.tools ? await listAll(ask, 'tools', maxTools) : none;
    // Once, and frozen: the cache keeps this list, and the next session reads nothing of it again.
    const definitions = Object.freeze(items.map(plainOrItself));
    const { resources } = connection.capabilities;
    if (this.tools.take(definitions, { isCut, resources })) this.#setup.known.set(definitions, resources);
    else if (this.#hasListed) return;
    this.#hasListed = true;
    this.#notify('mcp_tools', `offers ${this.tools.offered.length} tools`);
    for (const { message } of this.tools.problems.slice(0, MOST_NOTICES)) this.#notify('mcp_problem', message);
  }

  #options(signal: AbortSignal): McpRequestOptions {
    const { timeoutMs = TIMEOUT_MS, totalTimeoutMs = 600_000 } = this.#setup.config;
    return { signal, timeoutMs, totalTimeoutMs };
  }

  #notify(kind: McpNotice['kind'], text: string, more: Pick<McpNotice, 'status'> = {}): void {
    const serverName = this.#setup.name;
    this.#setup.notify({ kind, serverName, message: `MCP server ${serverName}: ${text}`, ...more });
  }
}
