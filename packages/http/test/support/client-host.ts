import { memoryStore, type SessionStore } from '@x/session';
import { type Client, type ClientOptions, createClient } from '../../src/client/index.ts';
import { type HttpOptions, type RunningServer, serve } from '../../src/index.ts';
import { type SessionHostOptions, sessionHost } from '../../src/sessions/index.ts';
import { profileOf, TOKENS } from './hosted.ts';
import { toolsOf } from './served.ts';

/** A server on a port, with tools and sessions, and a client of Ann's. */
export interface ClientHost extends AsyncDisposable {
  readonly server: RunningServer;
  readonly store: SessionStore;
  readonly client: Client;
  clientWith(options: Partial<ClientOptions>): Client;
}

export async function clientHost(
  options: Partial<SessionHostOptions> = {},
  more: Partial<HttpOptions> = {},
): Promise<ClientHost> {
  const store = options.store ?? memoryStore();
  const sessions = sessionHost({ profiles: { chat: profileOf() }, lookEveryMs: 20, ...options, store });
  const server = await serve({ registry: toolsOf(), port: 0, logLevel: 'fatal', tokens: TOKENS, sessions, ...more });
  const clientWith = (given: Partial<ClientOptions>) =>
    createClient({ baseUrl: server.url, token: 'token-of-ann', ...given });
  return { server, store, client: clientWith({}), clientWith, [Symbol.asyncDispose]: () => server.close() };
}

/** The reason with which a promise was rejected. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => {
      throw new Error('nothing was refused');
    },
    (error: unknown) => error,
  );
}
