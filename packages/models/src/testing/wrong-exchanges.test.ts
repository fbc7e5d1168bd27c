import { request as httpRequest } from 'node:http';
import type { Model, ModelRequest, ModelStream } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { contractOf, find, type Wrong } from '../../test/wrong-models.ts';
import { ModelError } from '../wire/model-error.ts';

/** Each breaks one promise, and the case that bears the name must say so. */
const wrongs: readonly (readonly [what: string, broken: string, wrong: Wrong])[] = [
  [
    'retries by itself',
    'fails with status 503',
    async function* (right, request) {
      try {
        return yield* right.stream(request);
      } catch {
        return yield* right.stream(request);
      }
    },
  ],
  [
    'follows redirects',
    'does not follow a redirect with status 307',
    async function* (right, request, { url }) {
      await fetch(url, { method: 'POST', body: '{}', redirect: 'follow' });
      return yield* right.stream(request);
    },
  ],
  [
    'is deaf to the signal',
    'closes its connection when the signal is aborted in mid-stream',
    (right, request) => right.stream({ ...request, signal: new AbortController().signal }),
  ],
  [
    'is deaf to the signal',
    'closes its connection when the signal is aborted before the answer',
    (right, request) => right.stream({ ...request, signal: new AbortController().signal }),
  ],
  ['keeps the connection when its reader leaves', 'closes its connection when the reader leaves', detached],
  [
    'sends first and looks at the signal later',
    'sends nothing when the signal is aborted already',
    async function* (right, request, { url }) {
      await fetch(url, { method: 'POST', body: '{}' });
      return yield* right.stream(request);
    },
  ],
  [
    'keeps its listener',
    'leaves no listener on the signal',
    (right, request) => {
      request.signal.addEventListener('abort', () => undefined);
      return right.stream(request);
    },
  ],
  [
    'puts the time into the instruction',
    'begins every request of a conversation with the same bytes',
    (right, request, { number }) =>
      right.stream({ ...request, instruction: `It is ${number}. ${request.instruction}` }),
  ],
  [
    'sorts its tools anew each time',
    'begins every request of a conversation with the same bytes',
    (right, request, { number }) =>
      right.stream({ ...request, tools: number % 2 ? request.tools : request.tools.toReversed() }),
  ],
  ['mixes conversations that begin alike', 'keeps two conversations apart', mixing()],
  ['opens a connection for each call', 'uses its connections again', wasteful],
  ['is overwhelmed', 'answers 64 calls at once', overwhelmed()],
  ['reads ahead', 'lets the service wait while its reader does', eager],
];

describe('a wrong model', () => {
  it.each(wrongs)('that %s fails: %s', async (_what, broken, wrong) => {
    await expect(find(contractOf(wrong), broken).run()).rejects.toBeInstanceOf(Error);
  });

  describe('that leaves a rejection behind', () => {
    const others = process.listeners('unhandledRejection');

    afterEach(() => {
      for (const listener of others) process.on('unhandledRejection', listener);
    });

    it('fails where it is aborted', async () => {
      const wrong: Wrong = (right, request) => {
        request.signal.addEventListener('abort', () => void Promise.reject(new Error('left behind')));
        return right.stream(request);
      };
      const outcomes: unknown[] = [];

      process.removeAllListeners('unhandledRejection'); // the runner's own would fail the run
      for (const item of contractOf(wrong).filter(({ name }) => name.startsWith('leaves no rejection'))) {
        outcomes.push(await item.run().catch((error: unknown) => (error as Error).name));
      }

      expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'AssertionError'));
    });
  });
});

/** A stream whose end nobody tells the right one. */
async function* detached(right: Model, request: ModelRequest): ModelStream {
  const stream = right.stream(request);
  for (let step = await stream.next(); ; step = await stream.next()) {
    if (step.done) return step.value;
    yield step.value;
  }
}

/** Sends the messages that came last, whoever asks. */
function mixing(): Wrong {
  const latest = new WeakMap<object, ModelRequest['messages']>();
  return async function* (right, request) {
    const key = request.messages[0]!; // there is one
    latest.set(key, request.messages);
    await new Promise((resolve) => setImmediate(resolve));
    return yield* right.stream({ ...request, messages: latest.get(key) ?? [] });
  };
}

async function* wasteful(right: Model, request: ModelRequest, { url }: { readonly url: string }): ModelStream {
  await new Promise<void>((resolve) => {
    httpRequest(url, { method: 'POST', agent: false }, (answer) => answer.resume().on('end', resolve)).end();
  });
  return yield* right.stream(request);
}

function overwhelmed(): Wrong {
  let running = 0;
  return async function* (right, request) {
    running++;
    try {
      if (running > 32) throw new ModelError('too much', { provider: 'p', retryable: true });
      return yield* right.stream(request);
    } finally {
      running--;
    }
  };
}

/** Reads all of it, while its own reader still looks at the first word. */
async function* eager(right: Model, request: ModelRequest): ModelStream {
  const stream = right.stream(request);
  const first = await stream.next();
  if (first.done) return first.value;
  const rest = collect(stream);
  rest.catch(() => undefined);
  yield first.value;
  const { value } = await rest;
  return value;
}
