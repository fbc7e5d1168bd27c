import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type RunningServer, type ServeOptions, serve } from '../../src/index.ts';
import { keptLog, toolsOf } from './served.ts';

/** Servers and clients of one test, which end with it. */
export class McpWorld {
  readonly #closing: (() => Promise<unknown>)[] = [];

  /** A server on a free port, with MCP. */
  async serve(options: ServeOptions = {}): Promise<RunningServer> {
    const own = { port: 0, registry: toolsOf(), logger: keptLog().logger, closeTimeout: 0, mcp: true };
    const server = await serve({ ...own, ...options });
    this.#closing.push(() => server.close());
    return server;
  }

  /** A client of the official SDK. */
  async connect({ url }: { readonly url: string }, token?: string): Promise<Client> {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
    this.#closing.push(() => client.close());
    return client;
  }

  async end(): Promise<void> {
    for (const close of this.#closing.splice(0).toReversed()) await close();
  }
}

const HEAD = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** A client that sends what it is told to, as it is. */
export class RawClient {
  readonly #url: string;
  session: string | undefined;
  readonly #more: Readonly<Record<string, string>>;
  #id = 0;

  constructor({ url }: { readonly url: string }, more: Readonly<Record<string, string>> = {}) {
    this.#url = `${url}/mcp`;
    this.#more = more;
  }

  headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const session = this.session === undefined ? {} : { 'mcp-session-id': this.session };
    return { ...HEAD, ...this.#more, ...session, ...more };
  }

  async begin(): Promise<this> {
    const { response } = await this.send(INITIALIZE);
    this.session = response.headers.get('mcp-session-id') ?? undefined;
    return this;
  }

  /** Sends a message, or a text as it is; the answer with its JSON, if it is JSON. */
  async send(message: unknown, more: Readonly<Record<string, string>> = {}, signal?: AbortSignal) {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    const init = { method: 'POST', headers: this.headers(more), body, ...(signal ? { signal } : {}) };
    const response = await fetch(this.#url, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { response, status: response.status, text, json: isJson ? JSON.parse(text) : undefined };
  }

  async call(name: string, input: object = {}, more: object = {}) {
    this.#id += 1;
    return await this.send({
      jsonrpc: '2.0',
      id: this.#id,
      method: 'tools/call',
      params: { name, arguments: input, ...more },
    });
  }

  /** Opens the event stream. */
  async listen(more: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Response> {
    return await fetch(this.#url, { headers: this.headers(more), ...(signal ? { signal } : {}) });
  }

  async leave(): Promise<Response> {
    return await fetch(this.#url, { method: 'DELETE', headers: this.headers() });
  }
}
