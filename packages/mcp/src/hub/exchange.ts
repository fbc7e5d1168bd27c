import { AbortError } from '@x/core';
import { type McpConnection, type McpHostHandler, SessionLost } from '../port/connection.ts';
import { type UrlDemand, UrlRequired } from '../port/url-required.ts';
import type { ConnectionLife } from './connection-life.ts';

export interface ExchangeSetup {
  readonly serverName: string;
  /** Requests at the same time. */
  readonly maxPending: number;
  /** Milliseconds to wait for a connection. */
  readonly timeoutMs: number;
  /** Asks the user to open an address. */
  readonly elicitUrl: McpHostHandler | undefined;
}

/** Sends requests to one server: a limited number at a time, once there is a connection, and again after its user has opened an address. */
export class Exchange {
  readonly #life: ConnectionLife;
  readonly #setup: ExchangeSetup;
  #pending = 0;

  constructor(life: ConnectionLife, setup: ExchangeSetup) {
    this.#life = life;
    this.#setup = setup;
  }

  /** Sends something; once more when the server turns out to have refused it for a reason that has gone. @throws McpError, AbortError */
  async send<T>(signal: AbortSignal, send: (connection: McpConnection) => Promise<T>): Promise<T> {
    const { maxPending } = this.#setup;
    if (this.#pending >= maxPending) {
      throw this.#life.errorWith(`has ${maxPending} requests to answer already`, 'CONFIG_ERROR');
    }
    this.#pending += 1;
    try {
      return await this.#once(signal, send).catch(async (error: unknown) => {
        if (!(error instanceof UrlRequired) || !(await this.#hasOpened(error.demands, signal))) throw error;
        return await this.#once(signal, send);
      });
    } finally {
      this.#pending -= 1;
    }
  }

  async #once<T>(signal: AbortSignal, send: (connection: McpConnection) => Promise<T>): Promise<T> {
    try {
      const connection = await this.#life.usable(signal, this.#setup.timeoutMs);
      try {
        return await send(connection);
      } catch (error) {
        if (!(error instanceof SessionLost)) throw error;
        return await send(await this.#life.renewed(connection));
      }
    } catch (error) {
      throw error instanceof SessionLost ? this.#life.errorWith(error.message, 'PROTOCOL_ERROR') : error;
    }
  }

  /** True when the user has opened all addresses; false without a host that asks, or when the user will not. @throws AbortError */
  async #hasOpened(demands: readonly UrlDemand[], signal: AbortSignal): Promise<boolean> {
    const { elicitUrl, serverName } = this.#setup;
    if (!elicitUrl) return false;
    for (const demand of demands) {
      const { action } = await elicitUrl(serverName, { mode: 'url', ...demand }, { signal });
      if (signal.aborted) throw new AbortError();
      if (action !== 'accept') return false;
    }
    return true;
  }
}
