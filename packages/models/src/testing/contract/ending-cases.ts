import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { isAgentError, type Model } from '@x/core';
import { type ContractCase, collect } from '@x/core/testing';
import type { WireAnswer } from '../wire-answer.ts';
import type { WireServer } from '../wire-server.ts';
import type { ModelContractOptions } from './contract-options.ts';
import { contractRequest } from './contract-request.ts';
import { messageOf, outcomeOf, type Served, servedCases } from './served-case.ts';

/** Cases about calls that end early, and what they leave behind. */
export function endingCases(options: ModelContractOptions): readonly ContractCase[] {
  const { text } = options.streams;
  const served = servedCases(options);
  const hanging = { body: text.slice(0, text.length / 2), hangs: true };
  return [
    served('closes its connection when the signal is aborted in mid-stream', hanging, async (model, { requests }) => {
      const controller = new AbortController();
      const stream = model.stream(contractRequest({ signal: controller.signal }));
      await stream.next();
      const rest = collect(stream);
      await wait(1);
      controller.abort();
      await assert.rejects(rest, { code: 'ABORTED' });
      assert.equal(await requests[0]?.settled, 'closed');
    }),
    served(
      'closes its connection when the signal is aborted before the answer',
      { silent: true },
      async (model, { requests }) => {
        const controller = new AbortController();
        const reply = collect(model.stream(contractRequest({ signal: controller.signal })));
        while (requests.length === 0) await wait(1);
        controller.abort();
        await assert.rejects(reply, { code: 'ABORTED' });
        assert.equal(await requests[0]?.settled, 'closed');
      },
    ),
    served('closes its connection when the reader leaves', hanging, async (model, { requests }) => {
      const stream = model.stream(contractRequest());
      await stream.next();
      await stream.return(undefined as never); // safe: the value is not read
      assert.equal(await requests[0]?.settled, 'closed');
    }),
    served('sends nothing when the signal is aborted already', { body: text }, async (model, { requests }) => {
      await assert.rejects(messageOf(model, { signal: AbortSignal.abort() }), { code: 'ABORTED' });
      assert.equal(requests.length, 0);
    }),
    listeners(served, text),
    ...phases(served, text),
  ];
}

function listeners(served: Served, body: string): ContractCase {
  const failing: WireAnswer = { status: 500, headers: { 'content-type': 'application/json' }, body: '{}' };
  const half = { body, cutAt: Math.floor(body.length / 2) };
  const script = [{ body }, failing, half, { body: body.slice(0, body.length / 2), hangs: true }];
  return served('leaves no listener on the signal, however the call ends', script, async (model) => {
    const { signal } = new AbortController();
    const left = () => getEventListeners(signal, 'abort').length;
    for (const how of ['whole', 'refused', 'cut']) {
      await outcomeOf(model, { signal });
      assert.equal(left(), 0, `listeners after a call that was ${how}`);
    }
    const stream = model.stream(contractRequest({ signal }));
    await stream.next();
    await stream.return(undefined as never); // safe: the value is not read
    assert.equal(left(), 0, 'listeners after a call whose reader has left');
  });
}

/** The phase of a call when it is aborted, and the way to reach it. */
type Phase = readonly [
  when: string,
  answer: WireAnswer,
  arrive: (server: WireServer, next: Promise<unknown>) => unknown,
];

function phases(served: Served, body: string): readonly ContractCase[] {
  const half = { body: body.slice(0, body.length / 2), hangs: true };
  const asked = async ({ requests }: WireServer) => {
    while (requests.length === 0) await wait(1);
  };
  const all: readonly Phase[] = [
    ['in the same turn', { body }, () => undefined],
    ['one turn later', { body }, () => nextTurn()],
    ['before the head', { silent: true }, asked],
    ['after the head', { body: '', hangs: true }, asked],
    ['after the first event', half, (_server, next) => next],
    ['after the first event of a whole stream', { body }, (_server, next) => next],
  ];
  return all.map(([when, answer, arrive]) =>
    served(`leaves no rejection unhandled when it is aborted ${when}`, answer, async (model, server) => {
      assert.deepEqual(await unhandledDuring(() => abortedCall(model, server, arrive)), []);
    }),
  );
}

async function abortedCall(model: Model, server: WireServer, arrive: Phase[2]): Promise<void> {
  const controller = new AbortController();
  const stream = model.stream(contractRequest({ signal: controller.signal }));
  const first = stream.next();
  first.catch(() => undefined);
  await arrive(server, first);
  controller.abort();
  const outcome: unknown = await first.then(() => collect(stream)).catch((error: unknown) => error);
  // complete, if all of it had arrived already
  if (isAgentError(outcome)) assert.equal(outcome.code, 'ABORTED');
  else assert.ok(!(outcome instanceof Error), `an error that is not typed: ${String(outcome)}`);
}

async function unhandledDuring(work: () => Promise<void>): Promise<readonly unknown[]> {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listener);
  try {
    await work();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  } finally {
    process.off('unhandledRejection', listener);
  }
  return unhandled;
}
