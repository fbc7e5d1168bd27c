import { AgentError, RateLimitError } from '@x/core';
import { answer } from '../answers/answer.ts';
import type { HttpContext } from '../answers/http-env.ts';

/** Bounds of streams; times are in milliseconds. */
export interface StreamBounds extends StreamTimes {
  /** Streams of one token at once. */
  readonly maxStreams: number;
}
interface StreamTimes {
  /** Between two signs of life. */
  readonly heartbeatMs: number;
  /** Within which a client must take what was written. */
  readonly stallMs: number;
}

/** Bytes that are written at once: a slow client that reads is told from one that does not. */
const PIECE = 16 * 1024;
const ALIVE: Uint8Array = new TextEncoder().encode(': alive\n\n');

/** One answer that goes on. */
interface Stream {
  readonly sessionId: string;
  /** Makes the frames; they end soon after the signal is aborted. */
  readonly frames: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds after which a client that has too many streams may come again. */
const RETRY_SECONDS = 5;

/** The right to one stream, of those that a token has. */
export interface StreamPlace {
  /** Answers a request with frames until they end, the client leaves, or it takes nothing for too long. Opens nothing before it is read. */
  answer(context: HttpContext, stream: Stream): Response;
  /** Gives the place back, if no stream has it. */
  leave(): void;
}

/** The streams of server-sent events of a host. Each holds one frame at most, and asks for the next when the client has taken it. */
export class EventStreams {
  readonly #bounds: StreamBounds;
  readonly #open = new Map<AbortController, string>();
  /** Places taken, by the name of the token. */
  readonly #taken = new Map<string, number>();
  #isClosed = false;

  constructor(bounds: StreamBounds) {
    this.#bounds = bounds;
  }

  /** Takes a place, before anything is done for the request. @throws RateLimitError when the token has no more */
  place(tokenName: string): StreamPlace {
    const taken = this.#taken.get(tokenName) ?? 0;
    const { maxStreams } = this.#bounds;
    if (taken >= maxStreams)
      throw new RateLimitError(`${maxStreams} streams are open; close one, or come again`, RETRY_SECONDS);
    this.#taken.set(tokenName, taken + 1);
    let isFree = false;
    let isUsed = false;
    const free = () => {
      if (isFree) return;
      isFree = true;
      const left = this.#taken.get(tokenName)! - 1; // it counts this one
      if (left > 0) this.#taken.set(tokenName, left);
      else this.#taken.delete(tokenName);
    };
    return {
      answer: (context, stream) => {
        isUsed = context.req.method !== 'HEAD'; // nobody reads its body
        return this.#answer(context, stream, free);
      },
      leave: () => {
        if (!isUsed) free();
      },
    };
  }

  /** Ends those of a session, or all of them and every later one. */
  end(sessionId?: string): void {
    this.#isClosed ||= sessionId === undefined;
    for (const [leaving, of] of this.#open) if (sessionId === undefined || of === sessionId) leaving.abort();
  }

  #answer(context: HttpContext, { sessionId, frames, headers = {} }: Stream, free: () => void): Response {
    const leaving = new AbortController();
    const { signal } = context.req.raw;
    const { outgoing } = (context.env as HttpContext['env'] | undefined) ?? {};
    const begin = () => {
      this.#open.set(leaving, sessionId);
      if (this.#isClosed || signal.aborted) leaving.abort();
      return frames(leaving.signal)[Symbol.asyncIterator]();
    };
    const end = () => {
      leaving.abort();
      signal.removeEventListener('abort', end);
      this.#open.delete(leaving);
      free();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true }); // from now on: it may leave before it reads
    const stalled = (fail: (error: unknown) => void) => {
      end();
      if (outgoing) outgoing.destroy();
      else fail(new AgentError('The client has taken nothing for too long', 'CLIENT_STALLED', 408));
    };
    const body = pulled({ begin, end, stalled, ...this.#bounds });
    return answer(context, body, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no', ...headers });
  }
}

interface Pulled extends StreamTimes {
  begin(): AsyncIterator<Uint8Array>;
  end(): void;
  /** Ends the connection; `fail` is for where there is no other way. */
  stalled(fail: (error: unknown) => void): void;
}

/** The bytes of frames, which are asked for when somebody reads. */
function pulled({ begin, end, stalled, heartbeatMs, stallMs }: Pulled): ReadableStream<Uint8Array> {
  let next: Next | undefined;
  let left: Uint8Array = new Uint8Array();
  let stall: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stall);
        if (left.length === 0) {
          next ??= new Next(begin());
          const frame = await next.within(heartbeatMs);
          if (!frame) {
            end();
            return controller.close();
          }
          left = frame;
        }
        controller.enqueue(left.subarray(0, PIECE));
        left = left.subarray(PIECE);
        stall = setTimeout(() => stalled((error) => controller.error(error)), stallMs);
      },
      cancel() {
        clearTimeout(stall);
        end();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The next frame, or a sign of life when it takes too long. */
class Next {
  readonly #frames: AsyncIterator<Uint8Array>;
  #isAsked = false;
  #step: { readonly frame: Uint8Array | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(frames: AsyncIterator<Uint8Array>) {
    this.#frames = frames;
  }

  /** Undefined at the end, also when the frames fail: then they have said so. */
  async within(ms: number): Promise<Uint8Array | undefined> {
    if (!this.#isAsked) this.#ask();
    if (!this.#step) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
    }
    if (!this.#step) return ALIVE;
    const { frame } = this.#step;
    this.#step = undefined;
    this.#isAsked = false;
    return frame;
  }

  #ask(): void {
    this.#isAsked = true;
    const told = (frame: Uint8Array | undefined) => {
      this.#step = { frame };
      this.#wake?.();
    };
    this.#frames.next().then(
      ({ done, value }) => told(done ? undefined : value),
      () => told(undefined),
    );
  }
}
