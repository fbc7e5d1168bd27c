import type { TextKind, WireEvent } from './output-items.ts';

/** A proved frame: the text before the number, between number and text, and after the text. */
interface Frame {
  readonly event: WireEvent;
  readonly kind: TextKind;
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
  /** `tail` is followed by some meaningless text, and then the end. */
  readonly isPadded: boolean;
}

const PROBE = 'probe-4711';
const PROBE_NUMBER = 4711;
/** Limit, since frames that differ from event to event are not worth learning for ever. */
const MAX_LESSONS = 16;
/** Neither quotes nor escapes: such characters stand for themselves inside a JSON string. */
// oxlint-disable-next-line no-control-regex -- JSON forbids exactly these
const PLAIN = /^[^"\\\u0000-\u001f]*$/;
const NUMBER = '"sequence_number":';
const DELTA = '"delta":"';
const PADDING = ',"obfuscation":"';
const END = '"}';

/**
 * Most events of a response differ in nothing but their number, their text, and the padding that hides its length. Once the positions of
 * these are proved, events with the same bytes around them are read without parsing: same bytes, same meaning.
 */
export class DeltaFrame {
  #frame: Frame | undefined;
  #lessons = 0;

  /** The event that the frame was learned from: everything but its text is the same in all others. */
  get learned(): Pick<Frame, 'event' | 'kind'> | undefined {
    return this.#frame;
  }

  /** The text of an event with the known frame; undefined when the event must be parsed. */
  textIn(data: string): string | undefined {
    const frame = this.#frame;
    if (!frame || data.slice(0, frame.head.length) !== frame.head) return undefined;
    let at = frame.head.length;
    while (isDigit(data.charCodeAt(at))) at++;
    const start = at + frame.middle.length;
    if (at === frame.head.length || data.slice(at, start) !== frame.middle) return undefined;
    if (frame.isPadded) return paddedText(data, start, frame.tail);
    const end = data.length - frame.tail.length;
    if (end < start || data.slice(end) !== frame.tail) return undefined;
    return plain(data.slice(start, end));
  }

  /** Learns from a parsed event with a piece of text; events without a number are skipped. */
  learn(data: string, event: WireEvent, kind: TextKind): void {
    const { delta, sequence_number: number } = event;
    if (this.#lessons >= MAX_LESSONS || typeof delta !== 'string' || typeof number !== 'number') return;
    this.#lessons++;
    const at = data.indexOf(NUMBER + number);
    const text = data.indexOf(`${DELTA}${delta}"`);
    if (!PLAIN.test(delta) || at < 0 || text < at) return;
    const rest = data.slice(text + DELTA.length + delta.length);
    const padding = rest.indexOf(PADDING);
    const isPadded = padding >= 0;
    const frame: Frame = {
      event,
      kind,
      head: data.slice(0, at + NUMBER.length),
      middle: data.slice(at + NUMBER.length + String(number).length, text + DELTA.length),
      tail: isPadded ? rest.slice(0, padding + PADDING.length) : rest,
      isPadded,
    };
    if (isProved(frame)) this.#frame = frame;
  }
}

/** The text between `start` and `tail`, when only padding and the end follow. */
function paddedText(data: string, start: number, tail: string): string | undefined {
  const end = data.indexOf('"', start);
  const rest = end + tail.length;
  if (end < 0 || data.slice(end, rest) !== tail) return undefined;
  if (data.indexOf('"', rest) !== data.length - END.length || !data.endsWith(END)) return undefined;
  return PLAIN.test(data.slice(rest, -END.length)) ? plain(data.slice(start, end)) : undefined;
}

function plain(text: string): string | undefined {
  return PLAIN.test(text) ? text : undefined;
}

/** True when other values in the same frame are parsed as these values, and nothing else changes. */
function isProved({ event, head, middle, tail, isPadded }: Frame): boolean {
  try {
    const probe: unknown = JSON.parse(head + PROBE_NUMBER + middle + PROBE + tail + (isPadded ? PROBE + END : ''));
    const expected = {
      ...event,
      sequence_number: PROBE_NUMBER,
      delta: PROBE,
      ...(isPadded ? { obfuscation: PROBE } : {}),
    };
    return JSON.stringify(probe) === JSON.stringify(expected);
  } catch {
    return false; // what stood behind the padding is no end of an object
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
