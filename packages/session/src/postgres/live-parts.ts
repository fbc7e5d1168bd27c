/** UTF-16 units of a part: 3 bytes each at most, and a payload has 7999 (https://www.postgresql.org/docs/current/sql-notify.html). */
const UNITS = 2_600;
/** Parts of the longest text. */
const MOST = 64;
const PART = /^(\S+) (\d+) (\d+) /;

/** The channel of a session; with an empty id that of all sessions of the schema. A name has 63 bytes at most. */
export function channelOf(schema: string, sessionId: string): string {
  const { hash } = process.getBuiltinModule('node:crypto'); // few programs follow a session
  return `agent_sdk_${hash('sha256', `${schema} ${sessionId}`).slice(0, 32)}`;
}

/** The text in parts that fit into a notification, each with its place and their number. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = at + UNITS;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1; // half a character cannot be sent
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts.map((part, place) => `${place} ${parts.length} ${part}`);
}

/** Puts the parts of one channel together, which come in one row: a notification of one transaction is never between those of another. */
export class Gathering {
  #of = '';
  #parts: string[] = [];

  /** `text`: who has sent it, and a part. Returns the whole text with the last part of it; one with a part that was missed is dropped. */
  add(text: string): string | undefined {
    const [head, of = '', place, count] = PART.exec(text) ?? [];
    if (head === undefined || Number(count) > MOST) return undefined;
    if (place === '0') [this.#of, this.#parts] = [of, []];
    if (of !== this.#of || Number(place) !== this.#parts.length) return undefined;
    this.#parts.push(text.slice(head.length));
    if (this.#parts.length !== Number(count)) return undefined;
    this.#of = '';
    return this.#parts.join('');
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
