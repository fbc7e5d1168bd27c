import assert from 'node:assert/strict';
import { type ContractCase, collect } from '@x/core/testing';
import type { WireAnswer } from '../wire-answer.ts';
import type { ModelContractOptions } from './contract-options.ts';
import { contractRequest } from './contract-request.ts';
import { eventsIn } from './contract-stream.ts';
import { factsOf, messageOf, type Served, sameFacts, servedCases } from './served-case.ts';

const CALLS_AT_ONCE = 64;
/** More than the buffers of any two sockets hold. */
const FILLER_PIECES = 1_000;
const FILLER_BYTES = 65_536;
/** Successive checks without progress after which a writer counts as waiting. */
const STILL = 20;

/** Cases about many calls, and slow readers. */
export function loadCases(options: ModelContractOptions): readonly ContractCase[] {
  const { text } = options.streams;
  const served = servedCases(options);
  return [
    served('uses its connections again', { body: text }, async (model, server) => {
      for (let call = 0; call < 6; call++) await messageOf(model);
      assert.ok(server.connections <= 2, `${server.connections} connections for 6 calls`); // the last one may still be ending
    }),
    served(`answers ${CALLS_AT_ONCE} calls at once`, { body: text, chunkBytes: 50 }, async (model, { requests }) => {
      const messages = await Promise.all(Array.from({ length: CALLS_AT_ONCE }, () => messageOf(model)));
      for (const message of messages) sameFacts(factsOf(message, text), factsOf(messages[0]!, text), 'one of many'); // there are 64
      assert.equal(new Set(messages.map(({ id }) => id)).size, CALLS_AT_ONCE);
      assert.equal(requests.length, CALLS_AT_ONCE);
    }),
    slowReader(served, text),
  ];
}

/** Puts so many comments between the text and the end of the reply that the writer stops only if nobody reads ahead. */
function slowReader(served: Served, body: string): ContractCase {
  const events = eventsIn(body);
  const filler = Buffer.from(`: ${'x'.repeat(1020)}\n\n`.repeat(FILLER_BYTES / 1024));
  const fillers = Array.from({ length: FILLER_PIECES }, () => filler);
  const long: WireAnswer = { chunks: [events.slice(0, -1).join(''), ...fillers, events.at(-1) ?? ''] };
  const script = (_request: unknown, number: number) => (number === 1 ? long : { body });
  return served('lets the service wait while its reader does', script, async (model, { requests }) => {
    const stream = model.stream(contractRequest());
    await stream.next();
    const long = requests[0]!; // it has answered
    let whole = await messageOf(model);
    for (let still = 0, seen = -1; still < STILL; seen = long.written) {
      whole = await messageOf(model);
      still = long.written === seen ? still + 1 : 0;
    }
    assert.ok(long.written < FILLER_PIECES * FILLER_BYTES, 'all of a long answer was read before anybody asked for it');
    sameFacts(factsOf((await collect(stream)).value, body), factsOf(whole, body), 'a reply that was read slowly');
  });
}
