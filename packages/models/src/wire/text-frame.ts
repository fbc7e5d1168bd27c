const PROBE = 'probe-4711';
/** Limit, since frames that differ from chunk to chunk are not worth learning for ever. */
const MAX_LESSONS = 8;
/** Neither quotes nor escapes: such characters stand for themselves inside a JSON string. */
// oxlint-disable-next-line no-control-regex -- JSON forbids exactly these
const PLAIN = /^[^"\\\u0000-\u001f]*$/;

/**
 * Most chunks of a reply differ in nothing but their text. Once the position of the text is proved, chunks with the same bytes around it
 * are read without parsing: same bytes, same meaning.
 */
export class TextFrame {
  #before: string | undefined;
  #after = '';
  #lessons = 0;
  readonly #key: string;

  /** `field`: the name of the field with the text. */
  constructor(field: string) {
    this.#key = `"${field}":"`;
  }

  /** The text of a chunk with the known frame; undefined when the chunk must be parsed. */
  textIn(data: string): string | undefined {
    const before = this.#before;
    const end = data.length - this.#after.length;
    if (before === undefined || end < before.length) return undefined;
    // comparing slices is a memory comparison; startsWith and endsWith compare character by character, ten times slower
    if (data.slice(0, before.length) !== before || data.slice(end) !== this.#after) return undefined;
    const text = data.slice(before.length, end);
    return PLAIN.test(text) ? text : unescaped(text);
  }

  /** Learns from a chunk that contained nothing but `text`; `read` returns the text of data that contains only text. */
  learn(data: string, text: string, read: (data: string) => string | undefined): void {
    if (this.#lessons >= MAX_LESSONS) return;
    this.#lessons++;
    const written = PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1); // other services may escape it otherwise
    const at = data.indexOf(`${this.#key}${written}"`);
    if (at < 0) return;
    const before = data.slice(0, at + this.#key.length);
    const after = data.slice(at + this.#key.length + written.length);
    if (read(before + PROBE + after) !== PROBE) return;
    this.#before = before;
    this.#after = after;
  }
}

/** Parses the text between the quotes of a JSON string; undefined when it is more than one. */
function unescaped(written: string): string | undefined {
  try {
    return JSON.parse(`"${written}"`) as string; // safe: in quotes it is a text, or no JSON
  } catch {
    return undefined;
  }
}
