import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { commandEnvironment } from '@x/sandbox/internal';
import { serverFetch } from '../http/server-fetch.ts';
import type {
  McpHttpServerConfig,
  McpRemoteServerBase,
  McpSdkServerConfig,
  McpSSEServerConfig,
  McpStdioServerConfig,
} from '../port/config.ts';
import type { McpConnectionSetup, McpLaunch } from '../port/connection.ts';
import { McpError } from '../port/mcp-error.ts';
import { ProcessTransport } from './process-transport.ts';

/** A way to a server, not started yet. */
export interface OpenTransport {
  readonly transport: Transport;
  /** More about a failure: the last of a process's standard error. */
  readonly about: () => string;
  /** Gives up what the server keeps for this client. */
  readonly leave: () => Promise<void>;
}
export interface TransportEvents {
  /** Nothing more will come. */
  readonly onFailure: (error: McpError) => void;
}

/** The interface is that of the SDK, with looser types. */
function authOf({ authProvider }: McpRemoteServerBase): { authProvider?: OAuthClientProvider } {
  return authProvider ? { authProvider: authProvider as OAuthClientProvider } : {}; // safe: see above
}

const nothing = { about: () => '', leave: async () => undefined };

export async function openTransport(setup: McpConnectionSetup, events: TransportEvents): Promise<OpenTransport> {
  const { config } = setup;
  if (config.type === 'http') return await httpTransport(setup, config, events);
  if (config.type === 'sse') return await sseTransport(setup, config, events);
  if (config.type === 'sdk') return await instanceTransport(config);
  return await stdioTransport(setup, config, events);
}

async function stdioTransport(
  { serverName, place, limits }: McpConnectionSetup,
  { command, args = [], env, cwd = place.cwd }: McpStdioServerConfig,
  { onFailure }: TransportEvents,
): Promise<OpenTransport> {
  const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const whole = { ...commandEnvironment(), ...place.env, ...env };
  const asked: McpLaunch = { serverName, argv: [command, ...args], cwd, env: whole };
  const { argv, cwd: at, env: its, inputs, ended } = (await place.launch?.(asked)) ?? asked;
  const transport: ProcessTransport = new ProcessTransport(
    {
      argv,
      cwd: at,
      env: its,
      inputs,
      maxLineBytes: limits.maxMessageBytes,
      shutdownMs: limits.shutdownMs,
      onEnd: (reason) =>
        onFailure(
          new McpError(`MCP server ${serverName}: ${reason}${about()}`, { serverName, errorType: 'NETWORK_PERMANENT' }),
        ),
      onExit: (code) => ended?.({ code, stderr: transport.stderr }),
    },
    JSONRPCMessageSchema,
  );
  const about = () => (transport.stderr === '' ? '' : `; its standard error ends with: ${transport.stderr}`);
  return { ...nothing, transport, about };
}

async function httpTransport(
  setup: McpConnectionSetup,
  config: McpHttpServerConfig,
  { onFailure }: TransportEvents,
): Promise<OpenTransport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    fetch: serverFetch({ ...setup.limits, serverName: setup.serverName, config, onFailure }),
    ...authOf(config),
    // A stream that has ended is opened again soon, so that a server that is gone is noticed.
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 5_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
  return { ...nothing, transport, leave: () => transport.terminateSession() };
}

async function sseTransport(
  setup: McpConnectionSetup,
  config: McpSSEServerConfig,
  { onFailure }: TransportEvents,
): Promise<OpenTransport> {
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const { serverName } = setup;
  const send = serverFetch({ ...setup.limits, serverName, config, onFailure });
  const transport = new SSEClientTransport(new URL(config.url), {
    fetch: async (url, init) => {
      const response = await send(url, init);
      const isStream = init?.method !== 'POST' && response.ok;
      return isStream ? watched(response, () => onFailure(endOfStream(serverName))) : response;
    },
    ...authOf(config),
  });
  return { ...nothing, transport };
}

function endOfStream(serverName: string): McpError {
  return new McpError(`MCP server ${serverName} has ended its stream`, { serverName, errorType: 'NETWORK_TEMPORARY' });
}

/** The response; the end of its body is reported. The stream of an SSE server is its session: there is no going on with another. */
function watched(response: Response, onEnd: () => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

async function instanceTransport({ instance }: McpSdkServerConfig): Promise<OpenTransport> {
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
  const [near, far] = InMemoryTransport.createLinkedPair();
  await instance.close(); // of an earlier connection
  await instance.connect(far as never); // safe: a transport of the same SDK
  return { ...nothing, transport: near };
}
