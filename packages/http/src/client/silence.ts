import { HttpError } from './http-error.ts';

/** The patience with one connection: what is waited for longer than `ms` milliseconds fails, and the connection with it. */
export class Silence {
  /** Aborted with the reader, or when nothing has come for too long. */
  readonly signal: AbortSignal;
  readonly #ms: number;
  readonly #ending = new AbortController();

  constructor(ms: number, reader: AbortSignal) {
    this.#ms = ms;
    this.signal = AbortSignal.any([reader, this.#ending.signal]);
  }

  /** As `work` settles; a reader that takes its time between two waits is no silence. @throws HttpError `CONNECTION_FAILED` */
  async during<T>(work: Promise<T>): Promise<T> {
    const over = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      over.reject(new HttpError(`The server has said nothing for ${this.#ms} ms`, 'CONNECTION_FAILED', 503));
      this.#ending.abort();
    }, this.#ms);
    try {
      return await Promise.race([work, over.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
