import { isDeepStrictEqual } from 'node:util';
import { eventsIn } from '../../src/testing/contract/contract-stream.ts';

/** What both sides say of a damaged stream, as JSON values. */
export interface Readings {
  readonly ours: Facts;
  readonly theirs: Facts;
  readonly body: string;
}
/** As the oracles name them; a format has some. */
export interface Facts {
  readonly text?: string;
  readonly calls?: readonly { readonly input?: unknown }[];
  readonly blocks?: readonly { readonly type?: string; readonly input?: unknown; readonly [field: string]: unknown }[];
  readonly stopReason?: string;
  readonly [field: string]: unknown;
}

type Block = NonNullable<Facts['blocks']>[number];

/** A difference that is meant, and how it is known: what is left of both sides when it is taken out is equal. */
interface KnownDifference {
  readonly name: string;
  readonly isThere: (readings: Readings) => boolean;
  readonly leaves: (facts: Facts, readings: Readings) => Facts;
}

const ITEMS: ReadonlySet<unknown> = new Set(
  'message output_text refusal reasoning summary_text reasoning_text function_call web_search_call'.split(' '),
);
const reasonUnknown: KnownDifference = {
  name: 'a reply without a reason that is known has ended well, or for its calls',
  isThere: ({ theirs }) => theirs.stopReason === undefined,
  leaves: ({ stopReason: _, ...facts }) => facts,
};
const brokenArguments: KnownDifference = {
  name: 'arguments that are no JSON on one side: the model is told, whatever they are',
  isThere: ({ ours, theirs }) => [...callsOf(ours), ...callsOf(theirs)].some(({ input }) => typeof input === 'string'),
  leaves: ({ calls: _, blocks, ...facts }) => (blocks ? { ...facts, blocks: blocks.filter(isNoCall) } : facts),
};
const blocksByIndex: KnownDifference = {
  name: 'blocks are told apart by their index, not by the order in which they were announced',
  isThere: ({ body }) => !indexesOf(body).every((index, position) => index === position),
  leaves: () => ({}),
};
const callsByReason: KnownDifference = {
  name: 'a reply with calls has ended for them, one without has not',
  isThere: ({ ours, theirs }) =>
    ours.stopReason !== theirs.stopReason && isReasonOfCalls(ours) && isReasonOfCalls(theirs),
  leaves: ({ stopReason: _, ...facts }) => facts,
};
const opaqueBlocks: KnownDifference = {
  name: 'blocks that only the service reads are whole, or left out',
  isThere: ({ ours, theirs }) => !isDeepStrictEqual(opaqueIn(ours), opaqueIn(theirs)),
  leaves: ({ blocks = [], ...facts }) => ({ ...facts, blocks: blocks.filter((block) => !isOpaque(block)) }),
};
const oddList: KnownDifference = {
  name: 'items that were streamed count although the last event lists them as something else',
  isThere: ({ body }) => !typesListed(body).every((type) => ITEMS.has(type)),
  leaves: () => ({}),
};
const emptyBlocks: KnownDifference = {
  name: 'blocks that say nothing are left out',
  isThere: ({ ours, theirs }) => (ours.blocks?.length ?? 0) < (theirs.blocks?.length ?? 0),
  leaves: ({ blocks = [], ...facts }) => ({ ...facts, blocks: blocks.filter(saysSomething) }),
};

const KNOWN: Readonly<Record<string, readonly KnownDifference[]>> = {
  'openai-chat': [brokenArguments],
  'openai-responses': [oddList, brokenArguments],
  anthropic: [blocksByIndex, brokenArguments, opaqueBlocks, emptyBlocks, callsByReason, reasonUnknown],
  gemini: [reasonUnknown],
};

/** Streams that say the same in two ways, or in an order that nothing but the order tells: damage decides which of them counts. */
export const FRAGILE: ReadonlySet<string> = new Set([
  'openai-chat/message-at-the-end',
  'openai-chat/call-with-an-id-per-chunk',
  'openai-responses/text-only-in-done',
]);

/** The names of the known differences that account for how the readings differ; nothing when something else does too. */
export function knownDifferences(format: string, readings: Readings): readonly string[] | undefined {
  const found = (KNOWN[format] ?? []).filter((known) => known.isThere(readings));
  const left = (facts: Facts) => found.reduce((rest, known) => known.leaves(rest, readings), facts);
  return isDeepStrictEqual(left(readings.ours), left(readings.theirs)) ? found.map(({ name }) => name) : undefined;
}

function callsOf({ calls = [], blocks = [] }: Facts): readonly { readonly input?: unknown }[] {
  return [...calls, ...blocks.filter((block) => !isNoCall(block))];
}

function isNoCall({ type }: Block): boolean {
  return type !== 'tool_use';
}

function isReasonOfCalls({ stopReason }: Facts): boolean {
  return stopReason === 'end' || stopReason === 'tool_use';
}

function saysSomething({ type, text, thinking, signature }: Block): boolean {
  if (type === 'text') return text !== '';
  return type !== 'thinking' || thinking !== '' || signature !== undefined;
}

function opaqueIn({ blocks = [] }: Facts): readonly Block[] {
  return blocks.filter(isOpaque);
}

function isOpaque({ type }: Block): boolean {
  return type !== 'text' && type !== 'thinking' && type !== 'tool_use';
}

/** The positions of the blocks of a stream of Anthropic, in the order in which they are announced. */
function indexesOf(body: string): readonly unknown[] {
  const events = eventsOf(body);
  const start = events.findIndex(({ type }) => type === 'message_start');
  return events.slice(start).flatMap(({ type, index }) => (type === 'content_block_start' ? [index] : []));
}

/** The types of all items and parts that the last event of a stream of Responses lists. */
function typesListed(body: string): readonly unknown[] {
  const { response } = eventsOf(body).at(-1) ?? {};
  const { output = [] } = (response ?? {}) as { output?: readonly { type?: unknown; content?: readonly Event[] }[] }; // safe: read only
  return output.flatMap(({ type, content }) => [type, ...(content ?? []).map((part) => part['type'])]);
}

type Event = Readonly<Record<string, unknown>>;

function eventsOf(body: string): readonly Event[] {
  return eventsIn(body).flatMap((event) => {
    const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? '';
    try {
      const value: unknown = JSON.parse(data);
      return isEvent(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

function isEvent(value: unknown): value is Event {
  return typeof value === 'object' && value !== null;
}
