/** Receives an answer, piece by piece; the first version of undici's handler interface, which all of its versions support. */
export interface HttpHandler {
  onConnect(abort: (reason?: Error) => void): void;
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void): boolean;
  /** False asks the dispatcher to pause until `resume`. */
  onData(piece: Buffer): boolean;
  onComplete(): void;
  onError(error: Error): void;
}
export interface DispatchOptions {
  readonly origin: string;
  readonly path: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}
/** Sends requests; the part of undici's `Dispatcher` that is used here. */
export interface HttpDispatcher {
  dispatch(options: DispatchOptions, handler: HttpHandler): boolean;
}

/**
 * The key under which every copy of undici, the one inside Node too, stores the dispatcher of `setGlobalDispatcher` and the proxy
 * variables.
 */
const SHARED = Symbol.for('undici.globalDispatcher.1');

/** The dispatcher that `fetch` itself would use now; without one (another runtime) `fetch`. */
export function currentDispatcher(): HttpDispatcher {
  const shared = sharedDispatcher() ?? (loadFetch() ? sharedDispatcher() : undefined);
  return shared ?? fetchDispatcher;
}

/** Sends through `fetch`, at about twice the cost. */
export const fetchDispatcher: HttpDispatcher = {
  dispatch(options, handler) {
    // a handler's own failure must not become an unhandled rejection
    void throughFetch(options, handler).catch((error: unknown) => handler.onError(error as Error));
    return true;
  },
};

function sharedDispatcher(): HttpDispatcher | undefined {
  const shared = (globalThis as { [SHARED]?: Partial<HttpDispatcher> })[SHARED];
  return typeof shared?.dispatch === 'function' ? (shared as HttpDispatcher) : undefined;
}

/** Node loads its fetch, which sets the dispatcher, when one of its classes is first touched. */
function loadFetch(): boolean {
  return typeof globalThis.Headers === 'function';
}

async function throughFetch(options: DispatchOptions, handler: HttpHandler): Promise<void> {
  const controller = new AbortController();
  handler.onConnect((reason) => controller.abort(reason));
  const { method, headers, body } = options;
  const { signal } = controller;
  const response = await fetch(options.origin + options.path, { method, headers, body, signal, redirect: 'manual' });
  let go: (() => void) | undefined;
  const raw = [...response.headers].flat().map((text) => Buffer.from(text, 'latin1'));
  handler.onHeaders(response.status, raw, () => go?.());
  for await (const piece of response.body ?? []) {
    if (!handler.onData(Buffer.from(piece))) await new Promise<void>((resolve) => (go = resolve));
  }
  handler.onComplete();
}
