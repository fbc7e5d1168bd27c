import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import {
  AgentError,
  type AgentEvent,
  type AssistantMessage,
  isAgentError,
  type Model,
  type ModelRequest,
  type ModelStream,
  textOf,
  userMessage,
} from '@x/core';
import { type ContractCase, collect } from '@x/core/testing';
import { afterEach, describe, expect, it } from 'vitest';

import { CUTS_PER_STREAM } from '../../test/contract-subjects.ts';
import { ModelError } from '../model-error.ts';
import { openaiChatModel } from '../openai-chat/openai-chat-model.ts';
import { type ContractStreams, type ModelContractOptions, modelContract } from './index.ts';

const structured = ['{"city', '":"Par', 'is"}']
  .map((content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null as string | null }] }))
  .concat({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }] })
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
const streams: Required<ContractStreams> = {
  text: wire('text'),
  call: wire('call'),
  parallelCalls: wire('parallel-calls'),
  length: wire('length'),
  refusal: wire('refusal'),
  thinking: wire('reasoning'),
  callWithoutArguments: wire('call-without-arguments'),
  errorInStream: wire('error-in-stream'),
  cacheUsage: wire('text'),
  structured: `${structured.join('')}data: [DONE]\n\n`,
};
const rightModel = (url: string, apiKey: string) =>
  openaiChatModel({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }, 'gpt-4o-mini');

/** What a wrong model does in the place of the right one. */
type Wrong = (
  right: Model,
  request: ModelRequest,
  call: { readonly url: string; readonly number: number },
) => ModelStream;

function contractOf(wrong: Wrong, options: Partial<ModelContractOptions> = {}): readonly ContractCase[] {
  return modelContract({
    streams,
    patienceMs: 300,
    ...options,
    open: (url, apiKey) => {
      const right = rightModel(url, apiKey);
      let number = 0;
      const { provider, name, contextWindow } = right;
      return { provider, name, contextWindow, stream: (request) => wrong(right, request, { url, number: ++number }) };
    },
  });
}

describe('modelContract', () => {
  it.each(modelContract({ open: rightModel, streams, cutsPerStream: CUTS_PER_STREAM }))(
    'holds for a right model: $name',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
  );

  it('has a case for a stream only if the stream is given', () => {
    const { text, call, parallelCalls, length, refusal } = streams;
    const few = modelContract({ open: rightModel, streams: { text, call, parallelCalls, length, refusal } });
    const all = modelContract({ open: rightModel, streams });

    const more = all.map(({ name }) => name).filter((name) => !few.some((item) => item.name === name));

    expect(more.filter((name) => !name.includes(':')).toSorted()).toEqual([
      'counts cached tokens as input, and shows them',
      'fails with a typed error when the service ends the stream with one, whole or in pieces',
      'gives a call without arguments an empty input',
      'returns an answer of a given form as text that is JSON',
      'streams thinking, and keeps it before the text',
    ]);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it('takes the words in which a service says that the context is too long', async () => {
    const contextOverflow =
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}';
    const cases = modelContract({ open: rightModel, streams, contextOverflow });

    await expect(find(cases, 'says that the messages do not fit').run()).resolves.toBeUndefined();
  });
});

describe('cutsPerStream', () => {
  const cutOf = (cutsPerStream: number) =>
    find(
      modelContract({ open: counting, streams, cutsPerStream }),
      'text: is whole or a typed error, to be retried, wherever',
    );
  let calls = 0;
  const counting: ModelContractOptions['open'] = (url, apiKey) => {
    const right = rightModel(url, apiKey);
    calls = 0;
    return {
      ...right,
      stream(request) {
        calls++;
        return right.stream(request);
      },
    };
  };

  it.each([1, 2, 7, 48])('makes the contract cut a stream at %i places', async (most) => {
    await cutOf(most).run();

    expect(calls).toBe(most + 1);
  });

  it('allows no more than every byte', () => {
    const names = (options: Partial<ModelContractOptions>) =>
      modelContract({ open: rightModel, streams, ...options }).map(({ name }) => name);

    expect(names({ cutsPerStream: 1_000_000 })).toEqual(names({}));
  });

  it.each([0, -1, 1.5, Number.NaN])('is refused when it is %d', (cutsPerStream) => {
    expect(() => modelContract({ open: rightModel, streams, cutsPerStream })).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'cutsPerStream' }),
    );
  });
});

/** Each breaks one promise, and the case that bears the name must say so. */
const wrongs: readonly (readonly [what: string, broken: string, wrong: Wrong])[] = [
  [
    'loses a delta',
    'yields text',
    async function* (right, request) {
      const stream = right.stream(request);
      await stream.next();
      return yield* stream;
    },
  ],
  [
    'says a delta twice when the text comes in pieces',
    'text: reads the same message and the same deltas',
    async function* (right, request, { number }) {
      const stream = right.stream(request);
      const first = await stream.next();
      if (first.done) return first.value;
      yield first.value;
      if (number > 1) yield first.value;
      return yield* stream;
    },
  ],
  ['calls its own name', 'yields text', changed((message) => ({ ...message, model: 'other' }))],
  ['miscounts', 'yields text', changed((m) => ({ ...m, usage: { ...m.usage, totalTokens: 1 } }))],
  [
    'estimates what was reported',
    'yields text',
    changed((message) => ({ ...message, usage: { ...message.usage, estimated: true } })),
  ],
  [
    'leaves the input a text',
    'returns a call with its input parsed',
    changedBlocks((block) => (block.type === 'tool_use' ? { ...block, input: JSON.stringify(block.input) } : block)),
  ],
  [
    'gives two calls one id',
    'returns parallel calls',
    changedBlocks((block) => (block.type === 'tool_use' ? { ...block, id: 'call_1' } : block)),
  ],
  ['ends everything well', 'says that the length limit', changed((message) => ({ ...message, stopReason: 'end' }))],
  [
    'takes no for an answer',
    'says that a reply is a refusal',
    changed((message) => ({ ...message, stopReason: 'end' })),
  ],
  ['drops thinking', 'streams thinking', withEvents((event) => event.type !== 'thinking')],
  [
    'drops thinking from the message',
    'streams thinking',
    changed((m) => ({ ...m, content: m.content.filter((block) => block.type !== 'thinking') })),
  ],
  ['thinks after it has spoken', 'streams thinking', changed((m) => ({ ...m, content: m.content.toReversed() }))],
  [
    'gives no input when there is none',
    'gives a call without arguments an empty input',
    changedBlocks((block) => (block.type === 'tool_use' ? { ...block, input: '' } : block)),
  ],
  [
    'counts cached tokens apart',
    'counts cached tokens',
    changed((m) => ({ ...m, usage: { ...m.usage, inputTokens: m.usage.inputTokens - 64 - 60 } })),
  ],
  ['hides cached tokens', 'counts cached tokens', changed((m) => ({ ...m, usage: withoutCache(m.usage) }))],
  [
    'returns a structured answer as a call',
    'returns an answer of a given form',
    changed((m) => ({
      ...m,
      content: [{ type: 'tool_use', id: 'c', name: 'answer', input: {} }],
      stopReason: 'tool_use',
    })),
  ],
  [
    'forgets a character on a split',
    'reads the same message from pieces of 1 bytes',
    changed((m, { number }) => (number % 2 ? m : { ...m, content: [{ type: 'text', text: textOf(m).slice(1) }] })),
  ],
  ['reads line by line as they come', 'text: reads the same message and the same deltas', naive],
  ['takes every line for data', 'text: does not mind keep-alives', naive],
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
  ['swallows an error in mid-stream', 'fails with a typed error when the service ends the stream', partial],
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
    'returns what JSON cannot carry',
    'text: returns plain JSON',
    changed((message) => ({ ...message, usage: { ...message.usage, cacheWriteTokens: Number.NaN } })),
  ],
  [
    'keeps what it wants back in an object that JSON flattens',
    'text: returns plain JSON',
    changedBlocks((block) => ({ ...block, providerData: { provider: 'p', data: new Map([[1, 2]]) } })),
  ],
  [
    'refuses its own reply',
    'call: returns plain JSON',
    (right, request) => {
      if (request.messages.length > 1) throw new AgentError('no', 'MODEL_ERROR');
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
  it.each(wrongs.filter(([, broken]) => broken.includes('wherever it is cut')))(
    'that %s fails at a few cuts too: %s',
    async (_what, broken, wrong) => {
      await expect(find(contractOf(wrong, { cutsPerStream: 8 }), broken).run()).rejects.toBeInstanceOf(Error);
    },
  );

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

function wire(name: string): string {
  return readFileSync(new URL(`../../test/wire/openai-chat/${name}.sse`, import.meta.url), 'utf8');
}

function find(cases: readonly ContractCase[], name: string): ContractCase {
  const found = cases.filter((item) => item.name.startsWith(name));
  expect(found).not.toHaveLength(0);
  return found[0]!; // there is one
}

function changed(change: (message: AssistantMessage, call: { readonly number: number }) => AssistantMessage): Wrong {
  return async function* (right, request, call) {
    return change(yield* right.stream(request), call);
  };
}

function changedBlocks(
  change: (block: AssistantMessage['content'][number]) => AssistantMessage['content'][number],
): Wrong {
  return changed((message) => ({ ...message, content: message.content.map(change) }));
}

function withEvents(keep: (event: AgentEvent) => boolean): Wrong {
  return async function* (right, request) {
    const { events, value } = await collect(right.stream(request));
    yield* events.filter(keep);
    return value;
  };
}

function withoutCache({ cacheReadTokens: _, ...usage }: AssistantMessage['usage']): AssistantMessage['usage'] {
  return usage;
}

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

function reply(content: AssistantMessage['content']): AssistantMessage {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const { id, createdAt } = userMessage('');
  return { id, createdAt, role: 'assistant', content, provider: 'p', model: 'm', usage, stopReason: 'end' };
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

/** An adapter as one writes it in five minutes: every read is lines, every line is an event. */
async function* naive(_right: Model, { signal }: ModelRequest, { url }: { readonly url: string }): ModelStream {
  const response = await fetch(url, { method: 'POST', body: '{}', signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    for (const line of decoder.decode(bytes).split('\n')) {
      const data = line.replace(/^data: /, '');
      if (data === '' || data === '[DONE]' || data === ': keep-alive') continue;
      const chunk = JSON.parse(data) as { choices?: readonly { delta?: { content?: string } }[] };
      const delta = chunk.choices?.[0]?.delta?.content ?? '';
      if (delta !== '') yield { type: 'content', delta };
      text += delta;
    }
  }
  return reply([{ type: 'text', text }]);
}

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
