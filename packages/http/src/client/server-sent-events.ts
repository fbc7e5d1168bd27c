import { HttpError } from './http-error.ts';

/** One server-sent event; `id` is the last id of the stream so far. */
export interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string;
}

/** Maximum characters of one event, lines without an effect included. */
const MOST_CHARACTERS: number = 32 * 1024 * 1024;

/** Reads server-sent events (WHATWG HTML 9.2.6) from bytes, wherever they were cut. An event without its empty line is not told. */
export class ServerSentEvents {
  /** Milliseconds, as the server has asked for; undefined when it has not. */
  retryMs: number | undefined;
  readonly #most: number;
  /** Keeps the beginning of a character. It keeps the byte order mark too: Node's decoder drops a second one behind a cut. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #hasBegun = false;
  #rest = '';
  #data: string | undefined;
  #type = '';
  #id = '';
  /** The id of the event so far, if it has come. */
  #ownId: string | undefined;
  /** Characters of the event so far. */
  #length = 0;
  /** The last piece ended in CR, which ended a line; a following LF belongs to it. */
  #afterCr = false;

  constructor(mostCharacters: number = MOST_CHARACTERS) {
    this.#most = mostCharacters;
  }

  /** The events that these bytes complete. @throws HttpError `EVENT_TOO_LARGE` */
  *push(bytes: Uint8Array): Generator<ServerSentEvent, void, void> {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return;
    if (!this.#hasBegun && text.startsWith('\uFEFF')) text = text.slice(1);
    this.#hasBegun = true;
    if (this.#afterCr && text.startsWith('\n')) text = text.slice(1);
    this.#afterCr = text === '' ? false : text.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    const rest = lines.pop()!; // a split text has a part
    for (const [index, line] of lines.entries()) {
      const event = this.#line(index === 0 ? this.#rest + line : line);
      if (index === 0) this.#rest = '';
      if (event) yield event;
    }
    this.#rest += rest;
    this.#bound(this.#rest.length);
  }

  #line(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch();
    this.#length += line.length + 1;
    this.#bound(0);
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = this.#ownId = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  #dispatch(): ServerSentEvent | undefined {
    const [data, type] = [this.#data, this.#type];
    this.#data = undefined;
    this.#type = '';
    this.#length = 0;
    this.#ownId = undefined;
    return data === undefined ? undefined : { type: type || 'message', data, id: this.#id };
  }

  #bound(more: number): void {
    if (this.#length + more <= this.#most) return;
    const advice = this.#ownId ? `; follow behind the cursor ${this.#ownId} to leave it out` : '';
    throw new HttpError(`An event has more than ${this.#most} characters${advice}`, 'EVENT_TOO_LARGE', 413);
  }
}
