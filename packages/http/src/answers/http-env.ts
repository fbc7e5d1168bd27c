import type { Context } from 'hono';

/** Values that the app keeps with a request: `caller` is the name of its token. `incoming` and `outgoing` are there on Node. */
export interface HttpEnv {
  Variables: { requestId: string; bytes?: ArrayBuffer | undefined; caller?: string | undefined };
  Bindings: {
    readonly incoming?: { readonly socket: { readonly localPort?: number; readonly remoteAddress?: string } };
    readonly outgoing?: { destroy(): unknown };
  };
}
export type HttpContext = Context<HttpEnv>;
