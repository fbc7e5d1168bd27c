import type { ByteEdit } from './edit-chunks.ts';
import { REDACTED } from './placeholder.ts';
import type { Secrets } from './secrets.ts';

/** A string in foreign JSON: the name before it, its value, and the bytes between its quotes. */
interface JsonString {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const STRING = /"((?:[^"\\\n\r]|\\.)*)"(\s*:)?/g;
const EVENT_END = /\r\n\r\n|\n\n|\r\r/g;
const INDICES = /"\w*index"\s*:\s*\d+/g;

/**
 * Edits that redact secrets split over several deltas of a streamed reply. Strings of the same name, in events with the same indices, are
 * read as one text.
 */
export function splitSecretEdits(body: Buffer, secrets: Secrets): readonly ByteEdit[] {
  const edits = [...textsIn(body)].flatMap((strings) => editsOf(strings, secrets));
  return edits.toSorted((one, other) => one.start - other.start);
}

function textsIn(body: Buffer): Iterable<readonly JsonString[]> {
  const texts = new Map<string, JsonString[]>();
  const latin = body.toString('latin1'); // a character a byte
  let start = 0;
  for (const end of [...[...latin.matchAll(EVENT_END)].map(({ index }) => index), latin.length]) {
    const event = latin.slice(start, end);
    const place = (event.match(INDICES) ?? []).join();
    for (const string of stringsIn(event, start)) {
      const key = `${string.name}|${place}`;
      const text = texts.get(key);
      if (text) text.push(string);
      else texts.set(key, [string]);
    }
    start = end;
  }
  return texts.values();
}

function* stringsIn(event: string, offset: number): Generator<JsonString, void, void> {
  let name = '';
  for (const { 1: raw = '', 2: colon, index } of event.matchAll(STRING)) {
    if (colon !== undefined) {
      name = raw;
      continue;
    }
    const value = valueOf(raw);
    const start = offset + index + 1;
    if (value !== undefined) yield { name, value, start, end: start + raw.length };
  }
}

function valueOf(raw: string): string | undefined {
  try {
    return JSON.parse(`"${Buffer.from(raw, 'latin1').toString('utf8')}"`) as string; // safe: a JSON string
  } catch {
    return undefined; // only looked like one
  }
}

function editsOf(strings: readonly JsonString[], secrets: Secrets): readonly ByteEdit[] {
  const parts = strings.map(({ value }) => Buffer.from(value));
  const ranges = secrets.valueRangesIn(Buffer.concat(parts));
  let offset = 0;
  return strings.flatMap(({ start, end }, index) => {
    const part = parts[index]!; // one for each string
    const from = offset;
    offset += part.length;
    let [kept, at, touched] = ['', from, false];
    for (const [first, last] of ranges) {
      if (last <= from || first >= offset) continue;
      kept += part.subarray(at - from, Math.max(first, from) - from).toString('utf8');
      if (first >= from) kept += REDACTED;
      at = Math.min(last, offset);
      touched = true;
    }
    kept += part.subarray(at - from).toString('utf8');
    return touched ? [{ start, end, text: JSON.stringify(kept).slice(1, -1) }] : [];
  });
}
