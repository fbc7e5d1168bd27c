import type { ContractStreams } from './contract-options.ts';
import type { Asked } from './contract-request.ts';
import { contractOutputFormat, contractTools } from './contract-request.ts';

/** One complete stream, and the request that it answers. */
export interface CompleteStream {
  readonly name: keyof ContractStreams;
  readonly body: string;
  readonly asked: Asked;
}

/** The end of an event: two line ends (WHATWG HTML 9.2.6). */
const EVENT_END = /\r\n\r\n|\n\n|\r\r/g;

/** The given streams that end well. */
export function completeStreams(streams: ContractStreams): readonly CompleteStream[] {
  const tools = contractTools();
  const asked: Readonly<Partial<Record<keyof ContractStreams, Asked>>> = {
    text: {},
    thinking: {},
    call: { tools },
    parallelCalls: { tools },
    callWithoutArguments: { tools },
    length: {},
    refusal: {},
    cacheUsage: {},
    structured: { outputFormat: contractOutputFormat() },
  };
  return Object.entries(asked).flatMap(([key, value]) => {
    const name = key as keyof ContractStreams; // safe: a key of `asked`
    const body = streams[name];
    return body === undefined ? [] : [{ name, body, asked: value }];
  });
}

/** The events of a stream, each with the empty line that ends it. */
export function eventsIn(stream: string): readonly string[] {
  const events: string[] = [];
  let start = 0;
  for (const { 0: end, index } of stream.matchAll(EVENT_END)) {
    events.push(stream.slice(start, index + end.length));
    start = index + end.length;
  }
  if (start < stream.length) events.push(stream.slice(start));
  return events;
}

/** The bytes in up to `pieces` pieces, cut at places that depend on `seed` alone. */
export function randomSplit(bytes: Uint8Array, pieces: number, seed: number): readonly Uint8Array[] {
  const next = numbersFrom(seed);
  const cuts = Array.from({ length: pieces - 1 }, () => Math.floor(next() * bytes.length)).toSorted((a, b) => a - b);
  const ends = [...cuts, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter((piece) => piece.length > 0);
}

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
