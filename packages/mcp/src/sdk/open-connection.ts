import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { AbortError } from '@x/core';
import { deadline } from '@x/core/internal';
import type { McpCapabilities, McpConnection, McpConnectionSetup, McpRequestOptions } from '../port/connection.ts';
import { McpError } from '../port/mcp-error.ts';
import { GuardedTransport } from './guarded-transport.ts';
import { type OpenTransport, openTransport } from './open-transport.ts';
import { errorOfSdk } from './sdk-errors.ts';
import { answerRequests, capabilitiesOf } from './server-requests.ts';

/** Opens a connection by the official SDK, which is loaded with the first one. @throws McpError, AbortError */
export async function openConnection(setup: McpConnectionSetup): Promise<McpConnection> {
  const [{ Client: SdkClient }, schemas] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const client = new SdkClient(
    { name: 'agent-sdk', version: '1.0.0' },
    { capabilities: capabilitiesOf(setup.handlers) },
  );
  await answerRequests(client, setup);
  const { toolsChanged, resourceUpdated } = setup.events;
  client.setNotificationHandler(schemas.ToolListChangedNotificationSchema, () => toolsChanged());
  client.setNotificationHandler(schemas.ResourceUpdatedNotificationSchema, ({ params }) => resourceUpdated(params.uri));
  const connection = new SdkConnection(client, setup, schemas.ResultSchema);
  await connection.open();
  return connection;
}

type ResultSchemaType = Parameters<Client['request']>[1];

/** Of an end that fails nobody is told: how the connection ended is known. */
const unheard = (): undefined => undefined;

class SdkConnection implements McpConnection {
  readonly #client: Client;
  readonly #setup: McpConnectionSetup;
  readonly #schema: ResultSchemaType;
  #way: OpenTransport | undefined;
  #failure: McpError | undefined;
  #state: 'opening' | 'open' | 'ended' = 'opening';

  constructor(client: Client, setup: McpConnectionSetup, schema: ResultSchemaType) {
    this.#client = client;
    this.#setup = setup;
    this.#schema = schema;
  }

  get capabilities(): McpCapabilities {
    const said = this.#client.getServerCapabilities() ?? {};
    const has = (name: keyof typeof said) => said[name] !== undefined;
    return {
      tools: has('tools'),
      resources: has('resources'),
      subscriptions: said.resources?.subscribe === true,
      prompts: has('prompts'),
      completions: has('completions'),
      logging: has('logging'),
    };
  }

  async open(): Promise<void> {
    const { signal, limits } = this.#setup;
    const { connectTimeoutMs: timeout } = limits;
    const bound = deadline(signal, timeout, `no answer within ${timeout} ms`);
    const end = Promise.withResolvers<never>();
    const onAbort = () => end.reject(bound.signal.reason);
    bound.signal.addEventListener('abort', onAbort, { once: true });
    this.#client.onclose = () => this.#onClose();
    try {
      this.#way = await openTransport(this.#setup, { onFailure: (error) => this.#fail(error) });
      const transport = new GuardedTransport(this.#way.transport);
      // Raced, because a transport may wait for an endpoint that never comes.
      await Promise.race([this.#client.connect(transport, { signal: bound.signal, timeout }), end.promise]);
      if (this.#failure) throw this.#failure;
      this.#state = 'open';
    } catch (error) {
      this.#state = 'ended';
      await this.#way?.transport.close().catch(unheard); // the first error says all there is to know
      if (signal.aborted) throw new AbortError();
      throw this.#failure ?? this.#errorOf(error);
    } finally {
      end.promise.catch(unheard);
      bound.clear();
    }
  }

  async request(
    method: string,
    params: object | undefined,
    options: McpRequestOptions,
  ): ReturnType<McpConnection['request']> {
    const { signal, timeoutMs, totalTimeoutMs, onProgress } = options;
    if (signal.aborted) throw new AbortError();
    const bound = deadline(signal, totalTimeoutMs, `no result within ${totalTimeoutMs} ms in all`);
    const settings: RequestOptions = {
      signal: bound.signal, // its own, because the SDK does not take back its listener
      timeout: Math.min(timeoutMs, totalTimeoutMs),
      ...(onProgress ? { onprogress: onProgress, resetTimeoutOnProgress: true } : {}),
    };
    try {
      return (await this.#client.request(
        { method, ...(params ? { params } : {}) } as never,
        this.#schema,
        settings,
      )) as never; // safe: a result is an object
    } catch (error) {
      if (signal.aborted) throw new AbortError();
      throw this.#failure ?? this.#errorOf(error);
    } finally {
      bound.clear();
    }
  }

  async close(): Promise<void> {
    this.#state = 'ended';
    await this.#leave();
    await this.#client.close().catch(unheard); // it has ended, however
    await this.#way?.transport.close().catch(unheard); // the client forgets it when the other side ends first
  }

  /** Waits shortly: a server that hangs must not keep anybody from leaving. */
  async #leave(): Promise<void> {
    const bound = deadline(new AbortController().signal, Math.min(this.#setup.limits.shutdownMs, 1_000));
    const late = new Promise<void>((resolve) =>
      bound.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    const left = Promise.resolve(this.#failure ? undefined : this.#way?.leave()).catch(unheard); // it is left anyway
    await Promise.race([left, late]);
    bound.clear();
  }

  #fail(error: McpError): void {
    this.#failure ??= error;
    this.#onClose();
  }

  #onClose(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    const { serverName, events } = this.#setup;
    this.#failure ??= new McpError(`MCP server ${serverName} has closed the connection`, {
      serverName,
      errorType: 'NETWORK_TEMPORARY',
    });
    events.lost(this.#failure);
    void this.#client.close().catch(unheard); // what waits for an answer gets the error
  }

  #errorOf(error: unknown): Error {
    return errorOfSdk(error, this.#setup.serverName, this.#way?.about() ?? '');
  }
}
