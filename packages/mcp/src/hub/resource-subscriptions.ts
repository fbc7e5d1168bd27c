import type { McpConnection } from '../port/connection.ts';
import { McpError } from '../port/mcp-error.ts';
import { quietly } from './quietly.ts';

/** Gets the URI that was subscribed to; the resource, or one below it, was updated. */
export type McpResourceListener = (uri: string) => void;

interface Subscription {
  /** One entry for each call of `add`: a function may listen twice. */
  readonly listeners: Set<{ readonly call: McpResourceListener }>;
  /** True when the server has taken it. */
  isTaken: boolean;
}
export interface SubscriptionsSetup {
  readonly serverName: string;
  /** Sends a request over a connection that may have to be waited for. */
  readonly subscribe: (uri: string, signal: AbortSignal) => Promise<void>;
  readonly connection: () => McpConnection | undefined;
  /** Called when a new connection does not take a subscription of the one before. */
  readonly failed: (uri: string, error: unknown) => void;
  /** Milliseconds for requests that nobody waits for. */
  readonly timeoutMs: number;
}

/** Resources of one server at the same time. */
const MOST = 256;
/** A storm of notices is one call. */
const TOGETHER_MS = 50;

/** The resources of one server that the host wants to hear of, from one connection to the next. */
export class ResourceSubscriptions {
  readonly #setup: SubscriptionsSetup;
  readonly #byUri = new Map<string, Subscription>();
  readonly #updated = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(setup: SubscriptionsSetup) {
    this.#setup = setup;
  }

  /** Resolves when the server has taken it, with what ends it. @throws McpError, AbortError */
  async add(uri: string, call: McpResourceListener, signal: AbortSignal): Promise<() => Promise<void>> {
    const known = this.#byUri.get(uri);
    const { serverName } = this.#setup;
    if (!known && this.#byUri.size >= MOST) {
      const message = `MCP server ${serverName} has ${MOST} subscriptions already; end one first`;
      throw new McpError(message, { serverName, errorType: 'CONFIG_ERROR' });
    }
    const subscription = known ?? { listeners: new Set(), isTaken: false };
    const listener = { call };
    this.#byUri.set(uri, subscription);
    subscription.listeners.add(listener); // before it is sent: the first notice may come with the answer
    const end = () => {
      const isLast = subscription.listeners.delete(listener) && subscription.listeners.size === 0;
      if (isLast) this.#byUri.delete(uri);
      return isLast;
    };
    try {
      await this.#setup.subscribe(uri, signal);
      subscription.isTaken = true;
    } catch (error) {
      end();
      throw error;
    }
    return async () => {
      const connection = this.#setup.connection();
      if (end() && connection) await this.#unsubscribe(connection, uri);
    };
  }

  /** Takes a notice of the server; one that nobody has asked for is nothing. */
  update(updated: string): void {
    for (const uri of this.#byUri.keys()) if (isAtOrBelow(updated, uri)) this.#updated.add(uri);
    if (this.#updated.size > 0) this.#timer ??= setTimeout(() => this.#tell(), TOGETHER_MS);
  }

  /** Subscribes again over a new connection. Never rejects. */
  async renew(connection: McpConnection): Promise<void> {
    const taken = [...this.#byUri].filter(([, { isTaken }]) => isTaken);
    for (const [uri] of taken) {
      try {
        await connection.request('resources/subscribe', { uri }, this.#bounds);
        this.update(uri); // what has changed meanwhile, nobody has told
      } catch (error) {
        this.#setup.failed(uri, error);
      }
    }
  }

  /** Takes leave of a server; what is subscribed to stays so for its next connection. Never rejects. */
  async leave(connection: McpConnection): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#updated.clear();
    await Promise.all([...this.#byUri.keys()].map((uri) => this.#unsubscribe(connection, uri)));
  }

  async #unsubscribe(connection: McpConnection, uri: string): Promise<void> {
    await connection.request('resources/unsubscribe', { uri }, this.#bounds).catch(() => undefined); // nobody listens any more
  }

  get #bounds() {
    const { timeoutMs } = this.#setup;
    return { signal: new AbortController().signal, timeoutMs, totalTimeoutMs: timeoutMs };
  }

  #tell(): void {
    this.#timer = undefined;
    const updated = [...this.#updated];
    this.#updated.clear();
    for (const uri of updated) {
      for (const { call } of this.#byUri.get(uri)?.listeners ?? []) quietly(() => call(uri));
    }
  }
}

/** Model Context Protocol 2025-11-25, resources: a notice may be about a part of what was subscribed to. */
function isAtOrBelow(updated: string, uri: string): boolean {
  if (updated === uri) return true;
  return updated.startsWith(uri) && (uri.endsWith('/') || /^[/?#]/.test(updated.slice(uri.length)));
}
