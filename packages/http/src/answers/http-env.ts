import type { Context } from 'hono';

/** Bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Values that the app keeps with a request: `caller` is the name of its token. `incoming` and `outgoing` are there on Node. `readBody` is
 * there only where no host stands between the listener and the app, which might have read the body, or put another in its place.
 */
export interface HttpEnv {
  Variables: { requestId: string; bytes?: Bytes | undefined; caller?: string | undefined };
  Bindings: {
    readonly incoming?: { readonly socket: { readonly localPort?: number; readonly remoteAddress?: string } };
    readonly outgoing?: { destroy(): unknown };
    readonly readBody?: (most: number) => Promise<Bytes | 'too many'>;
  };
}
export type HttpContext = Context<HttpEnv>;
