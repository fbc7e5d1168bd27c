import { AbortError } from '@x/core';
import { deadline, messageOf, unlessAborted } from '@x/core/internal';
import type { McpConnection, McpConnectionEvents } from '../port/connection.ts';
import { McpError, type McpErrorType } from '../port/mcp-error.ts';
import { Retry } from './retry.ts';
import type { McpReconnectOptions, McpServerStatus } from './types.ts';
import { watchServer } from './watch-server.ts';

export interface ConnectionLifeSetup {
  readonly serverName: string;
  /** True when the end of a connection may go unnoticed. */
  readonly isWatched: boolean;
  readonly reconnect: Required<McpReconnectOptions>;
  /** Opens a connection, and makes it ready for use; it is closed again when that fails. */
  readonly open: (lost: McpConnectionEvents['lost'], signal: AbortSignal) => Promise<McpConnection>;
  /** Says goodbye to a server before its connection is closed from here. Never rejects. */
  readonly leave: (connection: McpConnection) => Promise<void>;
  /** Called after each change of state. */
  readonly changed: (text: string) => void;
}
interface Opening {
  readonly end: AbortController;
  readonly result: Promise<McpConnection>;
}
/** A wait for the first connection. */
interface Sleep {
  readonly timer: NodeJS.Timeout;
  readonly end: (tried?: Promise<unknown>) => void;
}

/** The connections to one server, one after the other: wanted, opened, lost, tried again, left. */
export class ConnectionLife {
  readonly #setup: ConnectionLifeSetup;
  readonly #retry: Retry;
  #isWanted = false;
  #connection: McpConnection | undefined;
  #opening: Opening | undefined;
  #asleep: Sleep | undefined;
  #hasBeenConnected = false;
  #connectedAt: Date | undefined;
  #error: string | undefined;
  #unwatch: (() => void) | undefined;
  /** Connections that were lost or left, until their processes are gone. */
  readonly #ending = new Set<Promise<void>>();
  #changed = Promise.withResolvers<void>();

  constructor(setup: ConnectionLifeSetup) {
    this.#setup = setup;
    this.#retry = new Retry(setup.reconnect, () => {
      this.#open().catch(() => undefined); // the state says so
    });
  }

  get connection(): McpConnection | undefined {
    return this.#connection;
  }

  get state(): McpServerStatus['status'] {
    if (this.#connection) return 'connected';
    if (this.#opening) return 'connecting';
    if (this.#asleep) return 'disconnected';
    return this.#isWanted ? 'error' : 'disconnected';
  }

  get connectedAt(): Date | undefined {
    return this.#connection && this.#connectedAt;
  }

  /** The last failure, until there is a connection again. */
  get error(): string | undefined {
    return this.#error;
  }

  /** True when there is no connection, and there may be one soon. */
  get isOnTheWay(): boolean {
    return this.#opening !== undefined || this.#asleep !== undefined || this.#retry.isWaiting;
  }

  /** Connects after that time, unless it is needed earlier. Resolves when that was tried, or is no longer wanted. */
  async connectLater(waitMs: number): Promise<void> {
    this.#isWanted = true;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => this.wake(), waitMs);
    timer.unref(); // who needs the connection wakes it
    this.#asleep = { timer, end: resolve };
    await promise;
  }

  /** Ends a wait for the first connection. */
  wake(): void {
    this.#leaveSleep(() => this.#open().catch(() => undefined)); // the state says so
  }

  /** @throws McpError when the server cannot be used; it may be tried again by itself */
  async connect(): Promise<void> {
    this.#isWanted = true;
    if (this.#connection) return;
    this.#retry.reset();
    this.wake();
    await this.#open();
  }

  /** Resolves when the server is gone. */
  async disconnect(): Promise<void> {
    const [opening, connection] = [this.#opening, this.#connection];
    this.#isWanted = false;
    this.#opening = undefined;
    this.#leaveSleep();
    this.#hasBeenConnected = false;
    this.#error = undefined;
    this.#retry.reset();
    this.#drop();
    opening?.end.abort();
    this.#tell('is disconnected');
    if (connection) this.#end(connection, this.#setup.leave(connection));
    await opening?.result.catch(() => undefined); // it was ended from here
    await Promise.all(this.#ending);
  }

  /** The connection, when there is one within that time. @throws McpError, AbortError */
  async usable(signal: AbortSignal, timeoutMs: number): Promise<McpConnection> {
    const bound = deadline(signal, timeoutMs);
    this.wake();
    try {
      for (;;) {
        if (this.#connection) return this.#connection;
        if (!this.isOnTheWay) {
          const why = this.#isWanted ? (this.#error ?? 'it was not reached') : 'it is disconnected';
          throw this.errorWith(`cannot be used: ${why}`, 'CONFIG_ERROR');
        }
        await unlessAborted(() => this.#changed.promise, bound.signal);
      }
    } catch (error) {
      if (signal.aborted) throw new AbortError();
      if (!bound.expired) throw error;
      const why = this.#error === undefined ? '' : `: ${this.#error}`;
      throw this.errorWith(`was not connected within ${timeoutMs} ms${why}`, 'CONFIG_ERROR');
    } finally {
      bound.clear();
    }
  }

  /** A new connection in the place of one whose server has forgotten it. @throws McpError, AbortError */
  async renewed(connection: McpConnection): Promise<McpConnection> {
    if (this.#connection && this.#connection !== connection) return this.#connection;
    if (this.#connection) {
      this.#drop();
      this.#end(connection);
    }
    return await this.#open();
  }

  errorWith(text: string, errorType: McpErrorType): McpError {
    const { serverName } = this.#setup;
    return new McpError(`MCP server ${serverName} ${text}`, { serverName, errorType });
  }

  #leaveSleep(connect?: () => Promise<unknown>): void {
    const asleep = this.#asleep;
    if (!asleep) return;
    this.#asleep = undefined;
    clearTimeout(asleep.timer);
    asleep.end(connect?.());
  }

  async #open(): Promise<McpConnection> {
    if (this.#opening) return await this.#opening.result;
    if (!this.#isWanted) throw this.errorWith('is disconnected', 'CONFIG_ERROR');
    const end = new AbortController();
    const isCurrent = () => this.#opening?.end === end;
    const life: { connection?: McpConnection } = {};
    const lost = (error: McpError) => {
      if (life.connection && this.#connection === life.connection) this.#lose(life.connection, error);
    };
    const result = this.#setup.open(lost, end.signal).then(
      async (connection) => {
        life.connection = connection;
        if (isCurrent()) return this.#succeed(connection);
        await connection.close();
        throw new AbortError();
      },
      (error: unknown) => {
        if (isCurrent()) this.#fail(error);
        throw error;
      },
    );
    result.catch(() => undefined); // the state says so; who waits for it gets it too
    this.#opening = { end, result };
    this.#tell('is being connected');
    return await result;
  }

  #succeed(connection: McpConnection): McpConnection {
    const { isWatched, reconnect } = this.#setup;
    this.#opening = undefined;
    this.#connection = connection;
    this.#hasBeenConnected = true;
    this.#connectedAt = new Date();
    this.#error = undefined;
    if (isWatched && reconnect.pingMs > 0) {
      this.#unwatch = watchServer(connection, reconnect.pingMs, (error) => {
        if (this.#connection === connection) this.#lose(connection, error);
      });
    }
    this.#tell('is connected');
    return connection;
  }

  #fail(error: unknown): void {
    this.#opening = undefined;
    this.#error = messageOf(error);
    const isTemporary = error instanceof McpError && error.errorType === 'NETWORK_TEMPORARY';
    if (isTemporary || this.#hasBeenConnected) this.#retry.later();
    this.#tell(`failed: ${this.#error}`);
  }

  #lose(connection: McpConnection, error: Error): void {
    // Who is lost again right after each connection waits longer each time.
    const upMs = Date.now() - (this.#connectedAt?.getTime() ?? 0);
    if (upMs > this.#setup.reconnect.maxMs) this.#retry.reset();
    this.#drop();
    this.#end(connection);
    this.#error = error.message;
    this.#retry.later();
    this.#tell(`was lost: ${this.#error}`);
  }

  #end(connection: McpConnection, left?: Promise<void>): void {
    const ended = Promise.resolve(left)
      .then(() => connection.close())
      .finally(() => this.#ending.delete(ended)); // never rejects
    this.#ending.add(ended);
  }

  #drop(): void {
    this.#connection = undefined;
    this.#unwatch?.();
  }

  #tell(text: string): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
    this.#setup.changed(text);
  }
}
