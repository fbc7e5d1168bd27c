import { AbortError, type Model, type ModelRequest, userMessage, ValidationError } from '@x/core';
import { askedModel } from '@x/core/internal';
import { collect, type Script, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorOptions } from '../wire/model-error.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { type RoutedModelOptions, routedModel } from './routed-model.ts';

const answer: Script = () => ({ text: 'Hi.' });
const down = (facts: Partial<ModelErrorOptions> = {}) =>
  new ModelError(facts.code ?? 'down', { provider: 'scripted', retryable: true, ...facts });
const failing = (name: string, error: unknown) => scriptedModel(() => ({ error }), { name });
const answering = (name: string) => scriptedModel(answer, { name });
const requestOf = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  instruction: '',
  messages: [userMessage('Hello')],
  tools: [],
  signal: new AbortController().signal,
  ...more,
});
const ask = (model: Model, request = requestOf()) => collect(model.stream(request));
const inOrder = (...models: readonly Model[]) => routedModel(models.map((model) => ({ model, weight: 0 })));
/** Names of those that answer so many conversations. */
async function shares(model: Model, conversations: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let one = 0; one < conversations; one++) {
    const message = { ...userMessage('Hello'), id: `message-${one}` };
    const { value } = await ask(model, requestOf({ messages: [message] }));
    counts[value.model] = (counts[value.model] ?? 0) + 1;
  }
  return counts;
}
const three = (options?: RoutedModelOptions) =>
  routedModel(
    [{ model: answering('a'), weight: 3 }, { model: answering('b') }, { model: answering('c'), weight: 0 }],
    options,
  );

describe('routedModel', () => {
  it('gives each model its share of the conversations, and a spare none', async () => {
    const { a, b, ...others } = await shares(three(), 400);

    expect(a).toBeGreaterThan(260); // 300 are expected
    expect(b).toBeGreaterThan(60);
    expect(others).toEqual({});
  });

  it('stays with a conversation, in another process too', async () => {
    const messages = [{ ...userMessage('Hello'), id: 'message-7' }];
    const names = [three(), three(), three()].map(
      async (model) => (await ask(model, requestOf({ messages }))).value.model,
    );

    expect(new Set(await Promise.all(names)).size).toBe(1);
  });

  it('chooses for each request without affinity, by the given chance', async () => {
    const chances = [0.9, 0.1, 0, 0.1, 0.9, 0];
    const model = three({ affinity: 'none', random: () => chances.shift()! });
    const messages = [userMessage('Hello')];

    const first = await ask(model, requestOf({ messages }));
    const second = await ask(model, requestOf({ messages }));

    expect([first.value.model, second.value.model]).toEqual(['b', 'a']);
  });

  it('chooses by chance where there is no message', async () => {
    const { value } = await ask(three({ random: () => 0 }), requestOf({ messages: [] }));

    expect(value.model).toBe('a');
  });

  it('goes on to the next when one fails, and says so', async () => {
    const model = inOrder(failing('a', down({ code: 'MODEL_OVERLOADED' })), answering('b'));

    const { events, value } = await ask(model);

    expect(value.model).toBe('b');
    expect(events[0]).toEqual({
      type: 'notification',
      kind: 'model_route',
      message: 'scripted b is asked instead of scripted a: MODEL_OVERLOADED',
      data: { from: 'a', to: 'b', code: 'MODEL_OVERLOADED' },
    });
  });

  it.each<ModelErrorOptions['code']>([
    'AUTHENTICATION_ERROR',
    'QUOTA_EXCEEDED',
    'MODEL_NOT_FOUND',
    'RATE_LIMIT_EXCEEDED',
  ])('goes on to the next after %s, which another key may not have', async (code) => {
    const model = inOrder(failing('a', down({ code: code!, retryable: false })), answering('b'));

    expect((await ask(model)).value.model).toBe('b');
  });

  it.each<[string, unknown]>([
    ['a history that does not fit', down({ contextOverflow: true })],
    ['a wrong request', down({ statusCode: 400, retryable: false })],
    ['an abort', new AbortError()],
  ])('does not go on after %s', async (_, error) => {
    const other = answering('b');

    await expect(ask(inOrder(failing('a', error), other))).rejects.toBe(error);
    expect(other.requests).toEqual([]);
  });

  it('does not go on when the reader has seen a delta, or the call was aborted', async () => {
    const controller = new AbortController();
    const other = answering('b');
    const cut = scriptedModel([{ text: 'Half', error: down({ code: 'STREAM_CUT' }) }]);
    const aborting: Model = {
      ...answering('a'),
      async *stream() {
        controller.abort();
        throw down();
      },
    };

    await expect(ask(inOrder(cut, other))).rejects.toThrow('STREAM_CUT');
    await expect(ask(inOrder(aborting, other), requestOf({ signal: controller.signal }))).rejects.toThrow('down');
    expect(other.requests).toEqual([]);
  });

  it('passes over a model whose circuit is open, and comes back to it', async () => {
    const clock = { ms: 0 };
    const breaker = circuitBreaker({ failures: 1, openMs: 1_000, now: () => clock.ms });
    const first = scriptedModel((_, turn) => (turn === 1 ? { error: down() } : { text: 'Back.' }), { name: 'a' });
    const model = inOrder(breaker.guard(first, 'a'), answering('b'));
    const names: string[] = [];

    for (const ms of [0, 999, 1_000]) {
      clock.ms = ms;
      names.push((await ask(model)).value.model);
    }

    expect(names).toEqual(['b', 'b', 'a']);
    expect(first.requests).toHaveLength(2);
  });

  const busy = down({ code: 'MODEL_OVERLOADED' });
  const refused = down({ code: 'AUTHENTICATION_ERROR', retryable: false });
  const [open, openForLong] = [1, 9].map((retryAfter) => down({ code: 'MODEL_UNAVAILABLE', retryAfter }));
  it.each<[string, readonly unknown[], unknown]>([
    ['one that a retry may help', [open, refused, busy], busy],
    ['one of a model that was asked', [open, refused], refused],
    ['that of the circuit that closes first', [openForLong, open], open],
    ['that of the circuit that closes first', [open, openForLong], open],
  ])('fails with %s, when all fail', async (_, errors, error) => {
    await expect(ask(inOrder(...errors.map((one) => failing('m', one))))).rejects.toBe(error);
  });

  it('takes the options that all take, reads what all read, and has the smallest window', () => {
    const takes = { checkOptions: () => undefined };
    const small = scriptedModel([], { name: 'small', contextWindow: 10, ...takes });
    const blind = { ...scriptedModel([], { name: 'blind', contextWindow: 20, ...takes }), reads: () => false };
    const picky = scriptedModel([], { name: 'picky' });
    const picture = { type: 'image', mediaType: 'image/png', data: '' } as const;

    expect(inOrder(small, blind)).toMatchObject({ provider: 'scripted', name: 'small|blind', contextWindow: 10 });
    expect(inOrder(small, { ...small }).name).toBe('small');
    expect([inOrder(small, blind).reads?.(picture), inOrder(small, picky).reads?.(picture)]).toEqual([false, true]);
    expect(inOrder(small, blind).checkOptions?.({ seed: 1 })).toBeUndefined();
    expect(() => inOrder(small, picky).checkOptions?.({ seed: 1 })).toThrow('modelOptions.seed is not taken by picky');
  });

  it('says who has a request while there is no reply to name it', async () => {
    const hanging = scriptedModel([{ text: 'Half', hangs: true }], { name: 'b' });
    const request = requestOf();

    const stream = inOrder(failing('a', down()), hanging).stream(request);
    await stream.next();
    await stream.next();

    expect(askedModel(request)).toBe(hanging);
    await stream.return(undefined as never);
  });

  const counting = (name: string) => ({ ...answering(name), countTokens: async () => name.charCodeAt(0) });

  it('counts tokens by the choice of the conversation, where all of them count', async () => {
    const some = routedModel([{ model: counting('a') }, { model: answering('b') }]);
    const all = routedModel([{ model: counting('a') }, { model: counting('b') }, { model: counting('c'), weight: 0 }]);
    const request = requestOf();
    const counts = await Promise.all([all.countTokens?.(request), all.countTokens?.(request)]);
    const { value } = await ask(all, request);

    expect(some).not.toHaveProperty('countTokens');
    expect(counts).toEqual([value.model.charCodeAt(0), value.model.charCodeAt(0)]);
  });

  it('counts tokens by the first of its list when it chooses for each request', async () => {
    const all = routedModel([{ model: counting('a') }, { model: counting('b') }], { affinity: 'none' });

    expect(await all.countTokens?.(requestOf())).toBe('a'.charCodeAt(0));
  });

  const model = answering('a');
  it.each<[string, () => unknown]>([
    ['routes', () => routedModel([])],
    ['routes', () => routedModel({ model } as never)],
    ['routes[0].wieght', () => routedModel([{ model, wieght: 1 } as never])],
    ['routes[0].weight', () => routedModel([{ model, weight: -1 }])],
    ['routes[0].weight', () => routedModel([{ model, weight: Number.NaN }])],
    ['routes[0].model', () => routedModel([{ model: 'a' as never }])],
    ['routes[1].model', () => routedModel([{ model }, { model }])],
    ['affinity', () => routedModel([{ model }], { affinity: 'session' as never })],
    ['randon', () => routedModel([{ model }], { randon: Math.random } as never)],
  ])('refuses %s', (field, act) => {
    expect(act).toThrow(ValidationError);
    expect(act).toThrow(expect.objectContaining({ field }));
  });
});
