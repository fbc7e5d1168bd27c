import { AbortError, AgentError, type Model, userMessage, ValidationError } from '@x/core';
import { collect, type Script, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorOptions } from '../wire/model-error.ts';
import { circuitBreaker } from './circuit-breaker.ts';

const failing = (facts: Partial<ModelErrorOptions>) =>
  new ModelError('failed', { provider: 'scripted', retryable: true, ...facts });
const ask = (model: Model, signal = new AbortController().signal) =>
  collect(model.stream({ instruction: '', messages: [userMessage('Hello')], tools: [], signal }));
const codeOf = (failure: unknown) => (failure instanceof AgentError ? failure.code : failure);
/** The outcomes of so many calls, one after the other. */
async function outcomes(model: Model, calls: number): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let call = 0; call < calls; call++) all.push(await ask(model).then(({ value }) => value.model, codeOf));
  return all;
}
function breakerAt() {
  const clock = { ms: 0 };
  return { clock, breaker: circuitBreaker({ failures: 2, openMs: 10_000, now: () => clock.ms }) };
}

describe('circuitBreaker', () => {
  it('fails at once, without the service, when the circuit is open, and asks again after its time', async () => {
    const { breaker, clock } = breakerAt();
    const model = scriptedModel((_, turn) => (turn <= 2 ? { error: failing({ code: 'MODEL_OVERLOADED' }) } : {}));
    const guarded = breaker.guard(model, 'the service');
    await outcomes(guarded, 2);

    const refusal = ask(guarded);

    await expect(refusal).rejects.toMatchObject({
      name: 'ModelError',
      code: 'MODEL_UNAVAILABLE',
      statusCode: 503,
      provider: 'scripted',
      retryable: true,
      retryAfter: 10,
      message: 'scripted scripted is not asked for 10 s: too many calls have failed, the last with MODEL_OVERLOADED',
    });
    expect(model.requests).toHaveLength(2);
    clock.ms = 10_000;
    expect(await outcomes(guarded, 2)).toEqual(['scripted', 'scripted']);
  });

  it('counts tokens only while the circuit lets a call pass, and learns from that too', async () => {
    const { breaker } = breakerAt();
    let counted = 0;
    const down = failing({ code: 'MODEL_OVERLOADED' });
    const countTokens = () => (++counted === 1 ? Promise.resolve(7) : Promise.reject(down));
    const guarded = breaker.guard({ ...scriptedModel([]), countTokens }, 'the service');
    const request = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
    const outcome = () => guarded.countTokens!(request).catch(codeOf); // it is passed on

    expect([await outcome(), await outcome(), await outcome(), await outcome()]).toEqual([
      7,
      'MODEL_OVERLOADED',
      'MODEL_OVERLOADED',
      'MODEL_UNAVAILABLE',
    ]);
    expect(counted).toBe(3);
    expect(breaker.guard(scriptedModel([]), 'another')).not.toHaveProperty('countTokens');
  });

  it('lets exactly one of many calls through at the same time, when it is half open', async () => {
    const { breaker, clock } = breakerAt();
    const model = scriptedModel((_, turn) => (turn <= 2 ? { error: failing({ statusCode: 500 }) } : {}));
    const guarded = breaker.guard(model, 'the service');
    await outcomes(guarded, 2);
    clock.ms = 10_000;

    const all = await Promise.allSettled(Array.from({ length: 20 }, () => ask(guarded)));

    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(model.requests).toHaveLength(3);
  });

  it.each<[string, unknown]>([
    ['an overload', failing({ code: 'MODEL_OVERLOADED' })],
    ['an error of the server', failing({ statusCode: 500 })],
    ['a connection that was never made', failing({})],
    ['a broken connection of a custom model', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
    ['a reply that was cut off', failing({ code: 'STREAM_CUT' })],
    ['a rate limit that says how long', failing({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 1 })],
    ['a refused key', failing({ code: 'AUTHENTICATION_ERROR', retryable: false })],
    ['a used up quota', failing({ code: 'QUOTA_EXCEEDED', retryable: false })],
  ])('counts %s', async (_, error) => {
    const { breaker } = breakerAt();
    const guarded = breaker.guard(
      scriptedModel(() => ({ error })),
      'c',
    );

    expect((await outcomes(guarded, 3))[2]).toBe('MODEL_UNAVAILABLE');
  });

  it.each<[string, unknown]>([
    ['a history that does not fit', failing({ contextOverflow: true, retryable: false })],
    ['a rate limit that says nothing', failing({ code: 'RATE_LIMIT_EXCEEDED' })],
    ['an unknown model', failing({ code: 'MODEL_NOT_FOUND', retryable: false })],
    ['a wrong request', failing({ statusCode: 400, retryable: false })],
    ['a request that cannot be written', failing({ retryable: false })],
    ['an abort', new AbortError()],
    ['a fault of a custom model', new TypeError('undefined is not a function')],
    ['a circuit of another breaker', failing({ code: 'MODEL_UNAVAILABLE' })],
  ])('does not count %s', async (_, error) => {
    const { breaker } = breakerAt();
    const model = scriptedModel(() => ({ error }));

    await outcomes(breaker.guard(model, 'c'), 5);

    expect(model.requests).toHaveLength(5);
    expect(breaker.health()).toEqual([{ circuit: 'c', state: 'closed', failures: 0 }]);
  });

  it('takes a refusal of the model for an answer', async () => {
    const { breaker, clock } = breakerAt();
    const script: Script = (_, turn) => (turn <= 2 ? { error: failing({}) } : { stopReason: 'refusal' });
    const guarded = breaker.guard(scriptedModel(script), 'c');
    await outcomes(guarded, 2);
    clock.ms = 10_000;

    await outcomes(guarded, 1);

    expect(breaker.health()).toMatchObject([{ state: 'closed' }]);
  });

  it('lets another call through when the reader of the first has left before an answer', async () => {
    const { breaker, clock } = breakerAt();
    const model: Model = {
      ...scriptedModel([]),
      async *stream() {
        yield { type: 'notification', kind: 'waiting', message: 'no answer yet' };
        throw failing({});
      },
    };
    const guarded = breaker.guard(model, 'c');
    await outcomes(guarded, 2);
    clock.ms = 10_000;

    const probe = guarded.stream({ instruction: '', messages: [], tools: [], signal: new AbortController().signal });
    await probe.next();
    expect(await outcomes(guarded, 1)).toEqual(['MODEL_UNAVAILABLE']);
    await probe.return(undefined as never);

    expect(breaker.health()).toMatchObject([{ state: 'half_open' }]);
    expect(await outcomes(guarded, 1)).toEqual(['MODEL_ERROR']);
  });

  it('gives the model as it is: its facts, its options and what it reads', () => {
    const { breaker } = breakerAt();
    const asked: unknown[] = [];
    const plain = scriptedModel([], { name: 'm', contextWindow: 9 });
    const reads = () => false;
    const full = { ...plain, reads, checkOptions: (options: unknown) => void asked.push(options) };

    const guarded = breaker.guard(full, 'c');
    guarded.checkOptions?.({ seed: 1 });

    expect(guarded).toMatchObject({ provider: 'scripted', name: 'm', contextWindow: 9 });
    expect(guarded.reads?.({ type: 'image', mediaType: 'image/png', data: '' })).toBe(false);
    expect(asked).toEqual([{ seed: 1 }]);
    expect(Object.keys(breaker.guard(plain, 'c'))).toEqual(['provider', 'name', 'contextWindow', 'stream']);
  });

  it('shows the health of what was asked, and keeps a thousand circuits', async () => {
    const { breaker } = breakerAt();
    expect(breaker.health()).toEqual([]);
    await outcomes(
      breaker.guard(
        scriptedModel(() => ({ error: failing({}) })),
        'down',
      ),
      2,
    );

    expect(breaker.health()).toEqual([
      { circuit: 'down', state: 'open', failures: 2, lastCode: 'MODEL_ERROR', retryAfter: 10 },
    ]);
    for (let tenant = 0; tenant < 1_000; tenant++) {
      await outcomes(breaker.guard(scriptedModel([{}]), `tenant ${tenant}`), 1);
    }

    expect(breaker.health()).toHaveLength(1_000);
    expect(breaker.health().at(-1)).toEqual({ circuit: 'tenant 999', state: 'closed', failures: 0 });
    expect(breaker.health().map(({ circuit }) => circuit)).not.toContain('down');
  });

  it('has a clock of its own', async () => {
    const breaker = circuitBreaker({ failures: 1 });
    await outcomes(
      breaker.guard(
        scriptedModel(() => ({ error: failing({}) })),
        'c',
      ),
      1,
    );

    expect(breaker.health()).toMatchObject([{ state: 'open' }]);
  });

  it.each<[string, () => unknown]>([
    ['failures', () => circuitBreaker({ failures: 0 })],
    ['failures', () => circuitBreaker({ failures: 1_001 })],
    ['windowMs', () => circuitBreaker({ windowMs: -1 })],
    ['openMs', () => circuitBreaker({ openMs: Number.POSITIVE_INFINITY })],
    ['openMS', () => circuitBreaker({ openMS: 1 } as never)],
    ['model', () => circuitBreaker().guard({} as never, 'c')],
    ['circuit', () => circuitBreaker().guard(scriptedModel([]), ' ')],
    ['provider.zzz', () => circuitBreaker().provider({ type: 'anthropic', zzz: 1 } as never)],
  ])('refuses %s', (field, act) => {
    expect(act).toThrow(ValidationError);
    expect(act).toThrow(expect.objectContaining({ field }));
  });
});
