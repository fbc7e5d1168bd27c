import assert from 'node:assert/strict';
import { isAgentError, ValidationError } from '@x/core';
import type { ContractCase } from '@x/core/testing';
import type { ModelContractOptions } from './contract-options.ts';
import { type CompleteStream, completeStreams, eventsIn } from './contract-stream.ts';
import { factsOf, messageOf, outcomeOf, type Served, sameFacts, servedCases } from './served-case.ts';

/** Parallel calls: a cut costs a connection. */
const LANES = 8;
/** A stream of up to so many bytes is cut at every one of them. */
const MOST_CUTS = 8192;
/** Limits the duration of a case. */
const CUTS_IN_CASE = 1500;

/** Cases about cut replies: an error, wherever the cut is. */
export function cutCases(options: ModelContractOptions): readonly ContractCase[] {
  const served = servedCases(options);
  const { cutsPerStream } = options;
  if (cutsPerStream !== undefined && !(Number.isInteger(cutsPerStream) && cutsPerStream > 0)) {
    throw new ValidationError('cutsPerStream must be a whole number from 1', 'cutsPerStream');
  }
  return completeStreams(options.streams).flatMap((stream) => [
    ...cuts(served, stream, cutsPerStream),
    endedEarly(served, stream),
  ]);
}

/** The connection breaks: the complete message, if it had arrived, or the right error. */
function cuts(served: Served, stream: CompleteStream, most: number | undefined): readonly ContractCase[] {
  const offsets = most === undefined ? allOffsets(stream.body) : someOffsets(stream.body, most);
  return Array.from({ length: Math.ceil(offsets.length / CUTS_IN_CASE) }, (_, part) =>
    cut(served, stream, offsets.slice(part * CUTS_IN_CASE, (part + 1) * CUTS_IN_CASE)),
  );
}

function cut(served: Served, { name, body, asked }: CompleteStream, offsets: readonly number[]): ContractCase {
  const where = `from byte ${offsets[0]} to ${offsets.at(-1)}`;
  const script = (_request: unknown, number: number) =>
    number === 1 ? { body } : { body, cutAt: offsets[number - 2]! }; // one for each call
  return served(
    `${name}: is whole or a typed error, to be retried, wherever it is cut ${where}`,
    script,
    async (model) => {
      const whole = factsOf(await messageOf(model, asked), body);
      let left = offsets.length;
      const lane = async () => {
        while (left-- > 0) {
          const outcome = await outcomeOf(model, asked);
          // MODEL_ERROR: before the head of the answer had arrived.
          if (isAgentError(outcome)) assert.ok(outcome.retryable && /^(STREAM_CUT|MODEL_ERROR)$/.test(outcome.code));
          else sameFacts(factsOf(outcome.value, body), whole, 'a cut stream');
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    },
  );
}

/** Every offset; of a long stream those around the ends of events, and others in even steps. */
function allOffsets(body: string): readonly number[] {
  const length = Buffer.byteLength(body);
  const step = Math.max(1, Math.ceil(length / MOST_CUTS));
  const even = Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
  return sorted([...even, ...offsetsAroundEnds(body), length]);
}

/** At most `most` offsets: half of them from those around the ends of events, the others from the rest. */
function someOffsets(body: string, most: number): readonly number[] {
  const around = offsetsAroundEnds(body);
  const ends = new Set(drawn(around, Math.floor(most / 2)));
  const others = allOffsets(body).filter((offset) => !ends.has(offset));
  return sorted([...ends, ...drawn(others, most - ends.size)]);
}

function offsetsAroundEnds(body: string): readonly number[] {
  const length = Buffer.byteLength(body);
  const around = earlyEnds(body).flatMap((end) => [end - 1, end, end + 1]);
  return sorted(around).filter((offset) => offset >= 0 && offset <= length);
}

function sorted(offsets: readonly number[]): readonly number[] {
  return [...new Set(offsets)].toSorted((one, other) => one - other);
}

/** `count` items of a list, or all, in even steps. */
function drawn(list: readonly number[], count: number): readonly number[] {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, index) => list[Math.floor((index + 0.5) * step)]!); // in the list
}

/** The answer ends properly, but too early, as proxies may do. Only usage may then be missing. */
function endedEarly(served: Served, { name, body, asked }: CompleteStream): ContractCase {
  const ends = earlyEnds(body);
  const bytes = Buffer.from(body);
  const script = [{ body }, ...ends.map((end) => ({ body: bytes.subarray(0, end) }))];
  return served(`${name}: is whole or a typed error, to be retried, when it ends early`, script, async (model) => {
    const whole = await messageOf(model, asked);
    for (const end of ends) {
      const outcome = await outcomeOf(model, asked);
      if (isAgentError(outcome)) assert.deepEqual([outcome.code, outcome.retryable], ['STREAM_CUT', true]);
      else {
        const { usage } = whole;
        sameFacts(factsOf({ ...outcome.value, usage }, body), factsOf(whole, body), `ended after ${end} bytes`);
      }
    }
  });
}

/** After each event, and within it: after its first third, and before its last byte. */
function earlyEnds(body: string): readonly number[] {
  let start = 0;
  return eventsIn(body).flatMap((event) => {
    const length = Buffer.byteLength(event);
    const ends = [start + Math.floor(length / 3), start + length - 1, start + length];
    start += length;
    return ends;
  });
}
