import { eventsIn } from '../../src/testing/contract/contract-stream.ts';

/** A stream to which something has happened on its way. */
export interface DamagedStream {
  readonly body: string;
  /** What has happened, in order. */
  readonly what: readonly string[];
}

type Mishap = (events: readonly string[], random: () => number) => readonly string[];

const END = /^data: ?(?:\[DONE\]|.*"type": ?"(?:message_stop|response\.(?:completed|incomplete|failed))")/m;
const LETTERS = Array.from('aZ0 _-.,:{}[]"\\/é\u{1F30D}');
const MISHAPS: Readonly<Record<string, Mishap>> = {
  dropped: (events, random) => events.toSpliced(pick(events, random), 1),
  repeated: (events, random) => {
    const again = events[pick(events, random)] ?? '';
    return events.toSpliced(pick(events, random), 0, again);
  },
  swapped: (events, random) => {
    const [one, other] = [pick(events, random), pick(events, random)];
    return events.with(one, events[other] ?? '').with(other, events[one] ?? '');
  },
  truncated: (events, random) => changed(events, random, (data) => data.slice(0, Math.floor(random() * data.length))),
  flipped: (events, random) => changed(events, random, (data) => flipped(data, random)),
};

/** Most streams with JSON that was cut are refused by both: it is drawn less often. */
const DRAWN = Object.keys(MISHAPS).flatMap((name) => (name === 'truncated' ? [name] : [name, name, name]));

/** One to three mishaps; which follows from `random` alone. */
export function damagedStream(body: string, random: () => number): DamagedStream {
  const what = Array.from({ length: 1 + Math.floor(random() * 3) }, () => DRAWN[pick(DRAWN, random)]!); // in the list
  let events = eventsIn(body);
  for (const name of what) if (events.length > 0) events = MISHAPS[name]!(events, random); // a key
  return { body: upToEnd(events).join(''), what };
}

/** Nothing counts behind an end that came too early: the official clients differ in what they make of it. */
function upToEnd(events: readonly string[]): readonly string[] {
  const end = events.findIndex((event) => END.test(event));
  return end < 0 ? events : events.slice(0, end + 1);
}

function pick(list: readonly unknown[], random: () => number): number {
  return Math.floor(random() * list.length);
}

/** Changes the data of one event; what frames it stays. */
function changed(events: readonly string[], random: () => number, change: (data: string) => string): readonly string[] {
  const index = pick(events, random);
  const event = events[index] ?? '';
  const start = /^data: ?/m.exec(event);
  if (!start) return events;
  const from = start.index + start[0].length;
  const end = event.slice(from).search(/[\r\n]/);
  const to = end < 0 ? event.length : from + end;
  return events.with(index, event.slice(0, from) + change(event.slice(from, to)) + event.slice(to));
}

/** Another letter in one of the strings that are values, which may end the string there and make it no JSON. */
function flipped(data: string, random: () => number): string {
  const values = [...data.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gu)].filter(({ 1: colon }) => colon === undefined);
  const inStrings = values.flatMap(({ 0: text, index }) =>
    Array.from({ length: text.length - 2 }, (_, offset) => index + 1 + offset),
  );
  const at = inStrings[pick(inStrings, random)];
  return at === undefined ? data : data.slice(0, at) + LETTERS[pick(LETTERS, random)] + data.slice(at + 1);
}
