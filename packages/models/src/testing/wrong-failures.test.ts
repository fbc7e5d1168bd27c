import { type AgentError, isAgentError, type Model, type ModelRequest, type ModelStream } from '@x/core';
import { describe, expect, it } from 'vitest';
import { contractOf, find, reply, type Wrong } from '../../test/wrong-models.ts';
import { ModelError } from '../wire/model-error.ts';

/** Each breaks one promise, and the case that bears the name must say so. */
const wrongs: readonly (readonly [what: string, broken: string, wrong: Wrong])[] = [
  ['takes what it has for the whole', 'text: is whole or a typed error, to be retried, wherever it is cut', partial],
  ['takes what it has for the whole', 'text: is whole or a typed error, to be retried, when it ends early', partial],
  ['reports a half call at a cut', 'call: is whole or a typed error, to be retried, wherever it is cut', halfCall],
  ['reports a half call at a cut', 'call: is whole or a typed error, to be retried, when it ends early', halfCall],
  [
    'hangs on a cut',
    'text: is whole or a typed error, to be retried, wherever it is cut',
    onError(() => new Promise(() => {})),
  ],
  [
    'gives up on a cut',
    'text: is whole or a typed error, to be retried, wherever it is cut',
    onError(() => Promise.reject(new ModelError('cut', { provider: 'p', retryable: false }))),
  ],
  [
    'throws what comes',
    'fails with status 500',
    onError(() => Promise.reject(new TypeError('cannot read properties of undefined'))),
  ],
  [
    'repeats the key',
    'fails with status 401',
    onError((error) => Promise.reject(new ModelError(`contract-key-4711: ${error.message}`, factsOf(error)))),
  ],
  [
    'keeps the key in a cause',
    'fails with status 401',
    onError((error) =>
      Promise.reject(new ModelError('no', { ...factsOf(error), cause: { headers: ['Bearer contract-key-4711'] } })),
    ),
  ],
  [
    'says nothing of when to come back',
    'understands a Retry-After',
    onError((error) => {
      const { retryAfter: _, ...facts } = factsOf(error);
      return Promise.reject(new ModelError('later', facts));
    }),
  ],
  [
    'does not see that the window is full',
    'says that the messages do not fit the window',
    onError(() => Promise.reject(new ModelError('no', { provider: 'p', retryable: false, statusCode: 400 }))),
  ],
  [
    'prints the whole page',
    "survives a proxy's page",
    onError((error) => Promise.reject(new ModelError('<p>'.repeat(1000), factsOf(error)))),
  ],
  ['takes anything for a reply', 'fails when a 200 is a page', partial],
  ['takes nothing for a reply', 'fails when a 200 is an empty stream', partial],
  ['swallows an error in mid-stream', 'fails with a typed error when the service ends the stream', partial],
];

describe('a wrong model', () => {
  it.each(wrongs.filter(([, broken]) => broken.includes('wherever it is cut')))(
    'that %s fails at a few cuts too: %s',
    async (_what, broken, wrong) => {
      await expect(find(contractOf(wrong, { cutsPerStream: 8 }), broken).run()).rejects.toBeInstanceOf(Error);
    },
  );

  it.each(wrongs)('that %s fails: %s', async (_what, broken, wrong) => {
    await expect(find(contractOf(wrong), broken).run()).rejects.toBeInstanceOf(Error);
  });
});

function factsOf(error: AgentError) {
  const { statusCode, retryable = false } = error;
  const { retryAfter } = error as ModelError;
  return { provider: 'p', statusCode, retryable, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** Does something else with a failure; aborts pass. */
function onError(act: (error: AgentError) => Promise<never>): Wrong {
  return async function* (right, request) {
    try {
      return yield* right.stream(request);
    } catch (error) {
      if (!isAgentError(error) || error.code === 'ABORTED') throw error;
      return await act(error);
    }
  };
}

/** Returns the text that came before the failure, as if it were all. */
async function* partial(right: Model, request: ModelRequest): ModelStream {
  let text = '';
  try {
    const stream = right.stream(request);
    for (let step = await stream.next(); ; step = await stream.next()) {
      if (step.done) return step.value;
      if (step.value.type === 'content') text += step.value.delta;
      yield step.value;
    }
  } catch {
    return reply([{ type: 'text', text }]);
  }
}

async function* halfCall(right: Model, request: ModelRequest): ModelStream {
  try {
    return yield* right.stream(request);
  } catch {
    return reply([{ type: 'tool_use', id: 'call_a1', name: 'echo', input: {} }]);
  }
}
