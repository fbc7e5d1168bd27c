import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { localEngine, serveSessions } from '@x/agent-sdk';
import { chatApp } from './chat.ts';
import type { Chat } from './use-chat.ts';

/** A chat that listens. */
export interface ServedChat extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Those who follow a session at present. */
  readonly readers: ReadonlySet<unknown>;
}

/**
 * Serves the chat to this machine alone, and runs its sessions: pieces of text reach the readers of the process and store that run them.
 * Disposing ends the connections and leaves runs where they are; the next to serve goes on with them.
 */
export async function serveChat({ store, agent }: Chat, port: number): Promise<ServedChat> {
  const readers = new Set<Promise<void>>();
  const server = createAdaptorServer({ fetch: chatApp({ store, agent, readers }).fetch });
  const engine = localEngine();
  const serving = await serveSessions({ engine, store, options: () => agent, lookEveryMs: 100 });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const { port: found } = server.address() as AddressInfo; // safe: it listens on a port
  return {
    readers,
    url: `http://127.0.0.1:${found}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeAllConnections' in server) server.closeAllConnections();
      await Promise.allSettled([closed, ...readers]);
      await serving[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}
