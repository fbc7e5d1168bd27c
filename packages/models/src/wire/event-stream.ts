/** Called with the data of one event, and its name: empty when the server gave none. */
export type OnData = (data: string, event: string) => void;

/** Maximum characters of one event; a larger one is not a reply, and would fill the memory. */
export const MOST: number = 32 * 1024 * 1024;
/** Cost of a line in addition to its characters. */
const PER_LINE = 64;
/** Lines without data: comments, and fields that are not used here. */
const NO_DATA = ['', 'id', 'retry'];

/** Splits a text/event-stream into events (WHATWG HTML 9.2.6), wherever the pieces were cut. */
export class EventStream {
  readonly #onData: OnData;
  readonly #joinsLines: boolean;
  /** The beginning of an incomplete line. */
  #rest = '';
  /** The first line of data; nearly every event has only one. */
  #data: string | undefined;
  #moreLines: string[] = [];
  /** Length of all lines but the first. */
  #moreLength = 0;
  #event = '';
  /** The last line that named an event, and the name: most events have the same name as the one before. */
  #nameLine: string | undefined;
  #name = '';
  /** The last piece ended in CR, which ended a line; a following LF belongs to it. */
  #afterCr = false;

  /** `joinsLines`: lines without a field continue the data before them, as in JSON over several lines after one `data:`. */
  constructor(onData: OnData, { joinsLines = false }: { readonly joinsLines?: boolean } = {}) {
    this.#onData = onData;
    this.#joinsLines = joinsLines;
  }

  push(piece: string): void {
    if (piece === '') return;
    const text = this.#afterCr || piece.includes('\r') ? this.#withLineFeeds(piece) : piece;
    let end = text.indexOf('\n');
    if (end < 0) {
      this.#rest += text;
      this.#bound(this.#rest.length);
      return;
    }
    this.#line(this.#rest + text.slice(0, end));
    let start = end + 1;
    while ((end = text.indexOf('\n', start)) >= 0) {
      if (end === start) this.#dispatch();
      else if (isData(text, start)) this.#addData(dataIn(text, start, end));
      else this.#line(text.slice(start, end));
      start = end + 1;
    }
    this.#rest = text.slice(start);
  }

  /** Emits an event that was not ended by an empty line, like the last one of some servers. */
  end(): void {
    if (this.#rest !== '') this.#line(this.#rest);
    this.#rest = '';
    this.#dispatch();
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch();
    if (line === this.#nameLine) {
      this.#event = this.#name;
      return;
    }
    if (isData(line, 0)) return this.#addData(dataIn(line, 0, line.length));
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== 'data' && field !== 'event' && field !== 'error') {
      if (this.#joinsLines && this.#data !== undefined && !NO_DATA.includes(field)) this.#addLine(line);
      return;
    }
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') {
      this.#nameLine = line;
      this.#name = value;
      this.#event = value;
      return;
    }
    if (field === 'error') this.#event = field; // llama.cpp writes its errors so
    this.#addData(value);
  }

  #addData(value: string): void {
    if (this.#data === undefined) this.#data = value;
    else this.#addLine(value);
  }

  #addLine(line: string): void {
    this.#moreLines.push(line);
    this.#moreLength += line.length + PER_LINE;
    this.#bound((this.#data?.length ?? 0) + this.#moreLength);
  }

  #bound(length: number): void {
    if (length > MOST) throw new RangeError(`an event has more than ${MOST} characters`);
  }

  #dispatch(): void {
    let data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#event = '';
    if (data === undefined) return;
    if (this.#moreLength > 0) {
      data = [data, ...this.#moreLines].join('\n');
      this.#moreLines = [];
      this.#moreLength = 0;
    }
    // an empty event is a keep-alive, but an empty error is still an error
    if (data !== '' || event === 'error') this.#onData(data, event);
  }

  #withLineFeeds(piece: string): string {
    const text = this.#afterCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#afterCr = piece.endsWith('\r');
    return text.replace(/\r\n?/g, '\n');
  }
}

/** True when the line at `start` has data. Compares characters, as every slice of a text is one more object. */
function isData(text: string, start: number): boolean {
  return (
    text.charCodeAt(start) === 0x64 &&
    text.charCodeAt(start + 1) === 0x61 &&
    text.charCodeAt(start + 2) === 0x74 &&
    text.charCodeAt(start + 3) === 0x61 &&
    text.charCodeAt(start + 4) === 0x3a
  );
}

/** The text after `data:`, and after one space. */
function dataIn(text: string, start: number, end: number): string {
  const from = start + 'data:'.length;
  return text.slice(text.charCodeAt(from) === 0x20 ? from + 1 : from, end);
}
