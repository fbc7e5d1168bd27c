import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { isContextOverflow } from '@x/core';
import type { ContractCase } from '@x/core/testing';
import type { WireAnswer } from '../wire-answer.ts';
import { wireServer } from '../wire-server.ts';
import type { ModelContractOptions } from './contract-options.ts';
import { eventsIn } from './contract-stream.ts';
import { CONTRACT_KEY, failureOf, type Served, servedCases } from './served-case.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const TOO_LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";
const HOUR_MS = 3_600_000;

/** Cases about failures of the service, or of the connection. */
export function failureCases(options: ModelContractOptions): readonly ContractCase[] {
  const served = servedCases(options);
  return [
    ...Object.entries(CODES).map(([status, code]) => statusCase(served, Number(status), code)),
    retryDate(served),
    contextOverflow(served, options),
    proxyPage(served),
    ...foreignAnswers(served),
    ...[301, 302, 303, 307, 308].map((status) => redirect(served, status)),
    served('fails, to be retried, when the connection ends before the answer', { cutAt: 0 }, async (model) => {
      assert.equal((await failureOf(model)).retryable, true);
    }),
    served('fails, to be retried, when nobody listens', {}, async (model, server) => {
      await server.close();
      const error = await failureOf(model);
      assert.equal(error.retryable, true);
      hidesKey(error);
    }),
    ...errorInStream(served, options),
  ];
}

/** The code for an HTTP status, without further information in the body. */
const CODES = {
  400: 'MODEL_ERROR',
  401: 'AUTHENTICATION_ERROR',
  403: 'AUTHENTICATION_ERROR',
  404: 'MODEL_ERROR', // the address may be wrong
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'MODEL_ERROR',
  502: 'MODEL_ERROR',
  503: 'MODEL_OVERLOADED',
  529: 'MODEL_OVERLOADED',
};

function statusCase(served: Served, status: number, code: string): ContractCase {
  const retryable = status === 429 || status >= 500;
  const headers = { ...JSON_TYPE, 'retry-after': '7' };
  const answer = { status, headers, body: JSON.stringify({ error: { message: `key ${CONTRACT_KEY} refused` } }) };
  return served(
    `fails with status ${status}, ${retryable ? '' : 'not '}to be retried`,
    answer,
    async (model, { requests }) => {
      const error = await failureOf(model);
      const { statusCode, retryAfter } = error;
      assert.deepEqual([statusCode, error.retryable, retryAfter, error.code], [status, retryable, 7, code]);
      assert.equal(requests.length, 1, 'the model has retried by itself');
      hidesKey(error);
    },
  );
}

function retryDate(served: Served): ContractCase {
  const script = (): WireAnswer => {
    const headers = { ...JSON_TYPE, 'retry-after': new Date(Date.now() + HOUR_MS).toUTCString() };
    return { status: 429, headers, body: '{"error":{"message":"slow down"}}' };
  };
  return served('understands a Retry-After that is a date', script, async (model) => {
    const { retryAfter = 0 } = await failureOf(model);
    assert.ok(retryAfter > 3000 && retryAfter <= 3600, `${retryAfter} seconds for a date in an hour`);
  });
}

function contextOverflow(served: Served, options: ModelContractOptions): ContractCase {
  const openai = { error: { message: TOO_LONG, type: 'invalid_request_error', code: 'context_length_exceeded' } };
  const body = options.contextOverflow ?? JSON.stringify(openai);
  const name = 'says that the messages do not fit the window, which is not to be retried';
  return served(name, { status: 400, headers: JSON_TYPE, body }, async (model) => {
    const error = await failureOf(model);
    const facts = [error.statusCode, error.retryable, isContextOverflow(error), error.code];
    assert.deepEqual(facts, [400, false, true, 'CONTEXT_OVERFLOW']);
  });
}

function proxyPage(served: Served): ContractCase {
  const body = `<html><body><h1>502 Bad Gateway</h1>${CONTRACT_KEY}${'<p>nginx</p>'.repeat(2000)}</body></html>`;
  const answer = { status: 502, headers: { 'content-type': 'text/html' }, body };
  return served("survives a proxy's page, and does not repeat all of it", answer, async (model) => {
    const error = await failureOf(model);
    assert.deepEqual([error.statusCode, error.retryable], [502, true]);
    assert.ok(error.message.length < 2000, 'the error repeats the page');
    hidesKey(error);
  });
}

/** Answers with a success status that are not replies. */
function foreignAnswers(served: Served): readonly ContractCase[] {
  const answers: readonly (readonly [what: string, answer: WireAnswer])[] = [
    ['a page', { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>Sign in</html>' }],
    ['JSON that is an error', { headers: JSON_TYPE, body: '{"error":{"message":"no such model"}}' }],
    ['JSON that is nothing', { headers: JSON_TYPE, body: '{}' }],
    ['an empty stream', { body: '' }],
    ['noise', { body: Buffer.from([0, 255, 254, 10, 10, 123, 10, 10]) }],
  ];
  return answers.map(([what, answer]) =>
    served(`fails when a 200 is ${what}`, answer, async (model) => {
      hidesKey(await failureOf(model));
    }),
  );
}

function redirect(served: Served, status: number): ContractCase {
  return {
    name: `does not follow a redirect with status ${status}, which would take the key elsewhere`,
    async run() {
      const elsewhere = await wireServer({});
      const answer = { status, headers: { location: `${elsewhere.url}/v1` }, body: '' };
      try {
        await served('', answer, async (model) => void (await failureOf(model))).run();
        assert.equal(elsewhere.requests.length, 0, 'the redirect was followed');
      } finally {
        await elsewhere.close();
      }
    },
  };
}

/** The message of the error contains the key, as from some services. */
function errorInStream(served: Served, { streams }: ModelContractOptions): readonly ContractCase[] {
  if (streams.errorInStream === undefined) return [];
  const events = eventsIn(streams.errorInStream);
  const last = events.at(-1)?.replace(/"message"\s*:\s*"/g, `$&${CONTRACT_KEY} `) ?? '';
  const whole = events.slice(0, -1).join('') + last;
  const name = 'fails with a typed error when the service ends the stream with one, whole or in pieces';
  return [
    served(name, [{ body: whole }, { body: whole, chunkBytes: 5 }, { body: whole, hangs: true }], async (model) => {
      const errors = [await failureOf(model), await failureOf(model), await failureOf(model)];
      for (const error of errors) {
        assert.equal(typeof error.retryable, 'boolean');
        assert.ok(error.statusCode >= 400 && error.statusCode <= 599, `status ${error.statusCode}`);
        assert.deepEqual([error.statusCode, error.retryable], [errors[0]?.statusCode, errors[0]?.retryable]);
        hidesKey(error);
      }
    }),
  ];
}

/** Checks that the key is not in its message, its fields, its causes, nor in its log output. */
function hidesKey(error: Error): void {
  const shown = [
    inspect(error, { depth: 12, showHidden: true, customInspect: false }),
    JSON.stringify(error),
    String(error),
  ].join('\n');
  assert.ok(!shown.includes(CONTRACT_KEY), 'the error shows the key');
}
