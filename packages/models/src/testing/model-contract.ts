import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type AssistantMessage,
  isAgentError,
  type Model,
  type ModelRequest,
  textOf,
  toolUsesOf,
  userMessage,
} from '@x/core';
import { type ContractCase, collect } from '@x/core/testing';
import { type WireAnswer, type WireScript, type WireServer, wireServer } from './wire-server.ts';

/** Complete streams in the wire format of the service. */
export interface ContractStreams {
  /** Some text in several deltas, and usage. */
  readonly text: string;
  /** One call of `echo`, its arguments in fragments. */
  readonly call: string;
  /** Two calls of `echo`. */
  readonly parallelCalls: string;
  /** Text that was ended by the length limit. */
  readonly length: string;
  readonly refusal: string;
}
export interface ModelContractOptions {
  /** A model whose service listens at `url`, and whose key is `apiKey`. */
  readonly open: (url: string, apiKey: string) => Model;
  readonly streams: ContractStreams;
}

const KEY = 'contract-key-4711';

/** What every `Model` promises, as cases for any test runner. */
export function modelContract(options: ModelContractOptions): readonly ContractCase[] {
  return [...replyCases(options), ...failureCases(options), ...endingCases(options)];
}

function replyCases({ open, streams }: ModelContractOptions): readonly ContractCase[] {
  const served = serving(open);
  return [
    served(
      'yields text, and returns the message that the deltas add up to',
      { body: streams.text },
      async (model, { requests }) => {
        const { events, value } = await collect(model.stream(requestOf()));
        const deltas = events.map((event) => (event.type === 'content' ? event.delta : ''));
        assert.notEqual(textOf(value), '');
        assert.equal(deltas.join(''), textOf(value));
        assert.equal(value.stopReason, 'end');
        assert.equal(value.usage.totalTokens, value.usage.inputTokens + value.usage.outputTokens);
        assert.equal(value.usage.estimated, undefined);
        assert.deepEqual([value.provider, value.model, requests.length], [model.provider, model.name, 1]);
      },
    ),
    served('returns a call with its input parsed', { body: streams.call }, async (model) => {
      const { value } = await collect(model.stream(requestOf()));
      const [call] = toolUsesOf(value);
      assert.equal(call?.name, 'echo');
      assert.equal(typeof call?.input, 'object');
      assert.equal(value.stopReason, 'tool_use');
    }),
    served(
      'returns parallel calls in order, each with an id of its own',
      { body: streams.parallelCalls },
      async (model) => {
        const calls = toolUsesOf((await collect(model.stream(requestOf()))).value);
        assert.equal(calls.length, 2);
        assert.equal(new Set(calls.map((call) => call.id)).size, 2);
      },
    ),
    served('says that the length limit ended a reply', { body: streams.length }, async (model) => {
      assert.equal((await collect(model.stream(requestOf()))).value.stopReason, 'length');
    }),
    served('says that a reply is a refusal', { body: streams.refusal }, async (model) => {
      assert.equal((await collect(model.stream(requestOf()))).value.stopReason, 'refusal');
    }),
    ...[1, 7].map((chunkBytes) => {
      const script = [streams.text, streams.call].flatMap((body): WireAnswer[] => [{ body }, { body, chunkBytes }]);
      return served(`reads the same message from pieces of ${chunkBytes} bytes`, script, async (model) => {
        for (let stream = 0; stream < 2; stream++) {
          const whole = await collect(model.stream(requestOf()));
          const pieces = await collect(model.stream(requestOf()));
          assert.deepEqual(factsOf(pieces.value), factsOf(whole.value));
        }
      });
    }),
  ];
}

function failureCases({ open, streams }: ModelContractOptions): readonly ContractCase[] {
  const served = serving(open);
  const statuses = [400, 401, 403, 404, 429, 500, 503].map((status) => {
    const retryable = status === 429 || status >= 500;
    const headers = { 'content-type': 'application/json', 'retry-after': '7' };
    const answer = { status, headers, body: JSON.stringify({ error: { message: `key ${KEY} refused` } }) };
    return served(
      `fails with status ${status}, ${retryable ? '' : 'not '}to be retried`,
      answer,
      async (model, { requests }) => {
        const error = await failureOf(model);
        assert.deepEqual([error.code, error.statusCode, error.retryable], ['MODEL_ERROR', status, retryable]);
        assert.equal((error as { retryAfter?: number }).retryAfter, 7);
        assert.equal(requests.length, 1);
        assert.ok(!JSON.stringify(error).includes(KEY) && !error.message.includes(KEY), 'the error shows the key');
      },
    );
  });
  return [
    ...statuses,
    served('fails, to be retried, when the connection ends before the answer', { cutAt: 0 }, async (model) => {
      const error = await failureOf(model);
      assert.deepEqual([error.code, error.retryable], ['MODEL_ERROR', true]);
    }),
    served(
      'ends as a whole message or a typed error, wherever the stream is cut',
      cutScript(streams.call),
      async (model) => {
        for (let cutAt = 1; cutAt <= Buffer.byteLength(streams.call); cutAt++) {
          const outcome = await collect(model.stream(requestOf())).catch((error: unknown) => error);
          if (isAgentError(outcome)) assert.deepEqual([outcome.code, outcome.retryable], ['MODEL_ERROR', true]);
          else assert.equal(typeof toolUsesOf((outcome as { value: AssistantMessage }).value)[0]?.input, 'object');
        }
      },
    ),
  ];
}

function endingCases({ open, streams }: ModelContractOptions): readonly ContractCase[] {
  const served = serving(open);
  const hanging = { body: streams.text.slice(0, streams.text.length / 2), hangs: true };
  return [
    served('closes its connection when the signal is aborted in mid-stream', hanging, async (model, { requests }) => {
      const controller = new AbortController();
      const stream = model.stream(requestOf(controller.signal));
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
        const reply = collect(model.stream(requestOf(controller.signal)));
        while (requests.length === 0) await wait(1);
        controller.abort();
        await assert.rejects(reply, { code: 'ABORTED' });
        assert.equal(await requests[0]?.settled, 'closed');
      },
    ),
    served('closes its connection when the reader leaves', hanging, async (model, { requests }) => {
      const stream = model.stream(requestOf());
      await stream.next();
      await stream.return(undefined as never); // safe: the value is not read
      assert.equal(await requests[0]?.settled, 'closed');
    }),
    served('sends nothing when the signal is aborted already', { body: streams.text }, async (model, { requests }) => {
      await assert.rejects(collect(model.stream(requestOf(AbortSignal.abort()))), { code: 'ABORTED' });
      assert.equal(requests.length, 0);
    }),
    served('uses its connections again', { body: streams.text }, async (model, server) => {
      for (let call = 0; call < 6; call++) await collect(model.stream(requestOf()));
      assert.ok(server.connections <= 2, `${server.connections} connections for 6 calls`); // the last one may still be ending
    }),
  ];
}

function serving(open: ModelContractOptions['open']) {
  return (
    name: string,
    script: WireScript,
    check: (model: Model, server: WireServer) => Promise<void>,
  ): ContractCase => ({
    name,
    async run() {
      const server = await wireServer(script);
      try {
        await check(open(server.url, KEY), server);
      } finally {
        await server.close();
      }
    },
  });
}

function cutScript(body: string): WireScript {
  return (_request, number) => ({ body, cutAt: number });
}

async function failureOf(model: Model) {
  const failure: unknown = await collect(model.stream(requestOf())).catch((error: unknown) => error);
  assert.ok(isAgentError(failure), 'the call did not fail with a typed error');
  return failure;
}

function requestOf(signal: AbortSignal = new AbortController().signal): ModelRequest {
  return { instruction: 'Be brief.', messages: [userMessage('Hello')], tools: [], signal };
}

function factsOf({ content, usage, stopReason }: AssistantMessage): unknown {
  return { content, usage, stopReason };
}
