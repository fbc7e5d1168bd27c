import { AbortError } from '@x/core';
import { onAbort } from '@x/core/internal';
import type { HttpDispatcher } from './http-dispatcher.ts';

/** A request that is ready to go. */
export interface HttpRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** Milliseconds for which the service may send nothing; default 10 minutes. */
  readonly silenceMs?: number;
  /** Called when the answer is complete, and never when it was cut. */
  readonly onComplete: () => void;
}

/** Milliseconds that a service may stay silent, before its headers and between two pieces of its body. */
const SILENCE_MS = 600_000;
/** Milliseconds that a body may take to end once nobody reads it; if it ends in time, its connection is used again. */
const DRAIN_MS = 1_000;
/** Bytes that may wait to be read before the socket is paused. */
const HIGH_WATER = 256 * 1024;

/**
 * One HTTP request and its answer, over the dispatcher interface that undici and Node's fetch share. The body is pulled: `read` resolves
 * with everything received since the last call.
 */
export class HttpExchange {
  status = 0;
  #headers: readonly Buffer[] = [];
  #unlisten: (() => void) | undefined;
  readonly #onComplete: () => void;
  #abort: ((reason: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #pieces: Buffer[] = [];
  #waiting = 0;
  #ended = false;
  #draining = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(dispatcher: HttpDispatcher, request: HttpRequest) {
    const { origin, path, headers, body, signal, silenceMs = SILENCE_MS, onComplete } = request;
    this.#onComplete = onComplete;
    if (signal.aborted) {
      this.#fail(new AbortError());
      return;
    }
    this.#unlisten = onAbort(signal, () => this.close());
    const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body, ...timeouts }, this.#handler());
  }

  /** The answer's headers, their names in lower case; of a repeated one the last. */
  get headers(): Readonly<Record<string, string>> {
    return headersOf(this.#headers);
  }

  /** One header of the answer, by its name in lower case; of a repeated one the last. */
  header(name: string): string | undefined {
    let value: Buffer | undefined;
    for (let index = 0; index + 1 < this.#headers.length; index += 2) {
      const given = this.#headers[index]!;
      if (given.length === name.length && beginsWith(given, name)) value = this.#headers[index + 1];
    }
    return value?.toString('latin1');
  }

  /** The headers of the answer, their names in lower case, whose names begin with one of the beginnings. */
  headersFrom(beginnings: readonly string[]): readonly (readonly [name: string, value: string])[] {
    const found: (readonly [string, string])[] = [];
    for (let index = 0; index + 1 < this.#headers.length; index += 2) {
      const given = this.#headers[index]!;
      for (const beginning of beginnings) {
        if (!beginsWith(given, beginning)) continue;
        found.push([given.toString('latin1').toLowerCase(), this.#headers[index + 1]!.toString('latin1')]);
      }
    }
    return found;
  }

  /** The connection's failure, if it has failed: what `opened` and `read` reject with. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Resolves when the status and the headers have arrived. */
  async opened(): Promise<void> {
    while (this.status === 0 && !this.#failure) await this.#news();
    if (this.#failure) throw this.#failure;
  }

  /** The pieces received since the last call, at least one; undefined at the end. */
  async read(): Promise<readonly Buffer[] | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#failure) throw this.#failure;
      if (this.#ended) return undefined;
      await this.#news();
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#waiting = 0;
    this.#resume?.();
    return pieces;
  }

  /** Puts back what was read too early. */
  unread(pieces: readonly Buffer[]): void {
    this.#pieces = [...pieces, ...this.#pieces];
    for (const piece of pieces) this.#waiting += piece.length;
  }

  /** Stops reading when the end is near: waits for it in the background, so that the connection can be used again. */
  release(): void {
    if (this.#ended || this.#failure) return;
    this.#draining = true;
    this.#unlisten?.();
    this.#timer = setTimeout(() => this.#destroy(), DRAIN_MS);
    this.#resume?.();
  }

  /** Closes the connection unless the answer is complete or released. May be called at any time, and twice. */
  close(): void {
    if (!this.#draining) this.#destroy();
  }

  #destroy(): void {
    if (this.#ended || this.#failure) return;
    const reason = new AbortError();
    this.#pieces = [];
    this.#fail(reason);
    this.#abort?.(reason);
  }

  #handler(): Parameters<HttpDispatcher['dispatch']>[1] {
    return {
      onConnect: (abort) => {
        if (this.#failure) abort(this.#failure);
        else this.#abort = abort;
      },
      onHeaders: (status, headers, resume) => {
        if (status < 200) return true;
        this.#resume = resume;
        this.#headers = headers;
        this.status = status;
        this.#tell();
        return true;
      },
      onData: (piece) => {
        if (this.#draining) return true;
        this.#pieces.push(piece);
        this.#waiting += piece.length;
        this.#tell();
        return this.#waiting < HIGH_WATER;
      },
      onComplete: () => {
        this.#ended = true;
        this.#settle();
        this.#onComplete();
      },
      onError: (error) => {
        if (!this.#failure) this.#fail(error);
      },
    };
  }

  #fail(reason: Error): void {
    this.#failure = reason;
    this.#settle();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#unlisten?.();
    this.#tell();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #tell(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/** Compares bytes, in any case: an answer has twenty headers, and no text is made of those that nobody asks for. */
function beginsWith(given: Buffer, beginning: string): boolean {
  if (given.length < beginning.length) return false;
  for (let index = 0; index < beginning.length; index++) {
    if ((given[index]! | 0x20) !== beginning.charCodeAt(index)) return false; // names are letters, digits and `-`
  }
  return true;
}

/** Names in lower case; of a repeated header the last. */
function headersOf(raw: readonly Buffer[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index + 1 < raw.length; index += 2) {
    headers[raw[index]!.toString('latin1').toLowerCase()] = raw[index + 1]!.toString('latin1');
  }
  return headers;
}
