import assert from 'node:assert/strict';
import { textOf } from '@x/core';
import { type ContractCase, collect } from '@x/core/testing';
import type { ModelContractOptions } from './contract-options.ts';
import { contractRequest } from './contract-request.ts';
import { type CompleteStream, completeStreams, eventsIn, randomSplit } from './contract-stream.ts';
import { joined, thinkingOf } from './reply-cases.ts';
import { factsOf, messageOf, type Served, sameFacts, servedCases } from './served-case.ts';

const SPLITS = 12;
const PIECES = 9;
/** Data without meaning that may occur between two events: comments, empty lines, foreign fields, events without data. */
const SILENCE = [': keep-alive\n\n', '\n', 'id: 7\nretry: 3000\n\n', 'event: keep-alive\n\n', ':\n\n', 'data:\n\n'];

/** Cases about splits: however the bytes arrive, they mean the same. */
export function splitCases(options: ModelContractOptions): readonly ContractCase[] {
  const served = servedCases(options);
  const complete = completeStreams(options.streams);
  return [
    ...[1, 7].map((chunkBytes) => inPieces(served, complete, chunkBytes)),
    ...complete.map((stream) => split(served, stream)),
    ...complete.map((stream) => silence(served, stream)),
  ];
}

function inPieces(served: Served, streams: readonly CompleteStream[], chunkBytes: number): ContractCase {
  const script = streams.flatMap(({ body }) => [{ body }, { body, chunkBytes }]);
  return served(`reads the same message from pieces of ${chunkBytes} bytes`, script, async (model) => {
    for (const { name, body, asked } of streams) {
      const whole = await messageOf(model, asked);
      const pieces = await messageOf(model, asked);
      sameFacts(factsOf(pieces, body), factsOf(whole, body), name);
    }
  });
}

function split(served: Served, { name, body, asked }: CompleteStream): ContractCase {
  const bytes = Buffer.from(body);
  const script = [
    { body },
    ...Array.from({ length: SPLITS }, (_, seed) => ({ chunks: randomSplit(bytes, PIECES, seed) })),
  ];
  return served(
    `${name}: reads the same message and the same deltas wherever its bytes are split`,
    script,
    async (model) => {
      const whole = await messageOf(model, asked);
      for (let seed = 0; seed < SPLITS; seed++) {
        const { events, value } = await collect(model.stream(contractRequest(asked)));
        sameFacts(factsOf(value, body), factsOf(whole, body), `split ${seed}`);
        assert.deepEqual([joined(events, 'content'), joined(events, 'thinking')], [textOf(value), thinkingOf(value)]);
      }
    },
  );
}

function silence(served: Served, { name, body, asked }: CompleteStream): ContractCase {
  const end = body.includes('\r\n') ? '\r\n' : body.includes('\n') ? '\n' : '\r';
  const noisy = SILENCE.map((text) =>
    eventsIn(body)
      .map((event) => text.replaceAll('\n', end) + event)
      .join(''),
  );
  const script = [body, ...noisy].map((text) => ({ body: text }));
  return served(`${name}: does not mind keep-alives and empty events`, script, async (model) => {
    const whole = await messageOf(model, asked);
    for (const text of SILENCE) {
      sameFacts(factsOf(await messageOf(model, asked), body), factsOf(whole, body), JSON.stringify(text));
    }
  });
}
