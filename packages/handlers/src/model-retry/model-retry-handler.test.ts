import { AbortError, AgentError, type AgentEvent, RateLimitError, ValidationError } from '@x/core';
import { wasRetried } from '@x/core/internal';
import { collect, type Script, scriptedModel } from '@x/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { journaledRun, requestOf } from '../../test/journaled-run.ts';
import { modelRetryHandler } from './model-retry-handler.ts';
import { retryBudget } from './retry-budget.ts';
import type { ModelRetryOptions } from './retry-model-call.ts';

const overloaded = (facts: object = {}) =>
  Object.assign(new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true }), facts);
const fast: ModelRetryOptions = { baseMs: 1, maxMs: 1 };

function calling(script: Script, options: ModelRetryOptions = fast, signal?: AbortSignal) {
  const model = scriptedModel(script);
  const request = requestOf([], signal);
  const { run } = journaledRun();
  const handler = modelRetryHandler(options);
  return { model, run, stream: handler.wrapModelCall!(request, (changed) => model.stream(changed), run) };
}
const kindsOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === 'notification' ? event.kind : event.type));

afterEach(() => void vi.useRealTimers());

describe('modelRetryHandler', () => {
  it('tries again after an error that may pass, and tells of each retry', async () => {
    const { stream, model } = calling([{ error: overloaded() }, { error: overloaded() }, { text: 'Done.' }]);

    const { events, value } = await collect(stream);

    expect(kindsOf(events)).toEqual(['model_retry', 'model_retry', 'content']);
    expect(events[0]).toMatchObject({ message: expect.stringMatching(/attempt 2 of 3 in \d+ ms: overloaded$/) });
    const facts = { maxAttempts: 3, waitMs: expect.any(Number), code: expect.any(String), status: 503 };
    expect(events.slice(0, 2)).toMatchObject([{ data: { attempt: 2, ...facts } }, { data: { attempt: 3, ...facts } }]);
    expect(value.content).toEqual([{ type: 'text', text: 'Done.' }]);
    expect(model.requests).toHaveLength(3);
  });

  it('gives up with the last error after three attempts, marked so that nobody retries it again', async () => {
    const errors = [overloaded(), overloaded(), overloaded({ last: true })];
    const { stream, model } = calling((_, turn) => ({ error: errors[turn - 1] }));

    await expect(collect(stream)).rejects.toBe(errors[2]);

    expect(model.requests).toHaveLength(3);
    expect(errors.map(wasRetried)).toEqual([false, false, true]);
  });

  it('does not retry what a retry inside of it gave up', async () => {
    const model = scriptedModel(() => ({ error: overloaded() }));
    const { run } = journaledRun();
    const [outer, inner] = [modelRetryHandler(fast), modelRetryHandler(fast)];

    const stream = outer.wrapModelCall!(
      requestOf(),
      (request) => inner.wrapModelCall!(request, (changed) => model.stream(changed), run),
      run,
    );

    await expect(collect(stream)).rejects.toThrow('overloaded');
    expect(model.requests).toHaveLength(3);
  });

  it.each([{ text: 'a' }, { thinking: 'a' }])('does not try again after the first delta: %j', async (reply) => {
    const { stream, model } = calling([{ ...reply, error: overloaded() }, { text: 'never' }]);

    await expect(collect(stream)).rejects.toThrow('overloaded');

    expect(model.requests).toHaveLength(1);
  });

  it.each([400, 401, 403])(
    'never tries again after status %i, even when the service advises it',
    async (statusCode) => {
      const error = new AgentError('refused', { code: 'MODEL_ERROR', statusCode, retryable: true });
      const { stream, model } = calling([{ error }, { text: 'never' }]);

      await expect(collect(stream)).rejects.toBe(error);

      expect(model.requests).toHaveLength(1);
    },
  );

  it.each([
    ['a history that does not fit', overloaded({ contextOverflow: true })],
    ['a stamp that forbids it', new AgentError('m', { code: 'MODEL_ERROR', retryable: false })],
    ['an abort', new AbortError()],
    ['an error of unknown kind', new Error('m')],
  ])('does not try again after %s', async (_, error) => {
    const { stream, model } = calling([{ error }, { text: 'never' }]);

    await expect(collect(stream)).rejects.toBe(error);

    expect(model.requests).toHaveLength(1);
    expect(wasRetried(error)).toBe(false);
  });

  it('waits as long as the service asks', async () => {
    vi.useFakeTimers();
    const script = [{ error: overloaded({ retryAfter: 40 }) }, { text: 'Done.' }];
    const { stream, model } = calling(script, { baseMs: 1, maxMs: 1 });

    const { value } = await stream.next();
    const pending = stream.next();
    await vi.advanceTimersByTimeAsync(39_999);
    const early = model.requests.length;
    await vi.advanceTimersByTimeAsync(1);

    expect(value).toMatchObject({ message: expect.stringContaining('in 40000 ms') });
    expect(await pending).toMatchObject({ value: { type: 'content' } });
    expect([early, model.requests.length]).toEqual([1, 2]);
  });

  it('gives up at once when the service asks for more than the budget has', async () => {
    const error = new RateLimitError('slow down', 3600);
    const { stream, model } = calling([{ error }, { text: 'never' }]);

    await expect(collect(stream)).rejects.toBe(error);

    expect(model.requests).toHaveLength(1);
    expect(wasRetried(error)).toBe(true);
  });

  it('retries nothing any more once the budget of the run is used up', async () => {
    const budget = retryBudget(50);
    const { stream, run, model } = calling([{ error: overloaded() }, { text: 'never' }], { ...fast, budget });
    budget.spend(run, 50);

    await expect(collect(stream)).rejects.toThrow('overloaded');

    expect(model.requests).toHaveLength(1);
  });

  it('spends its waits, and not the time of a call that succeeds', async () => {
    const budget = retryBudget(1000);
    const { stream, run } = calling([{ error: overloaded({ retryAfter: 0.01 }) }, { text: 'Done.' }], {
      ...fast,
      budget,
    });

    await collect(stream);

    expect(budget.remainingMs(run)).toBe(990);
  });

  it('spends the time of repeated attempts that fail', async () => {
    const budget = retryBudget(1000);
    const { stream, run } = calling(() => ({ error: overloaded() }), { baseMs: 0, maxMs: 0, budget });

    await expect(collect(stream)).rejects.toThrow('overloaded');

    expect(budget.remainingMs(run)).toBeLessThan(1000);
  });

  it('ends at once when it is aborted during a wait', async () => {
    const controller = new AbortController();
    const script = [{ error: overloaded({ retryAfter: 60 }) }, { text: 'never' }];
    const { stream, model } = calling(script, fast, controller.signal);
    await stream.next();

    const ending = stream.next();
    controller.abort();

    await expect(ending).rejects.toBeInstanceOf(AbortError);
    expect(model.requests).toHaveLength(1);
  });

  it('does not begin a wait for a reader that has left', async () => {
    const { stream, model } = calling([{ error: overloaded({ retryAfter: 60 }) }, { text: 'never' }]);
    await stream.next();

    await stream.return(undefined as never);

    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(model.requests).toHaveLength(1);
  });

  it('makes one attempt when told so', async () => {
    const { stream, model } = calling([{ error: overloaded() }, { text: 'never' }], { maxAttempts: 1 });

    await expect(collect(stream)).rejects.toThrow('overloaded');

    expect(model.requests).toHaveLength(1);
  });

  it.each([{ maxAttempts: 0 }, { baseMs: -1 }, { maxMs: Number.NaN }, { maxAttempt: 3 } as ModelRetryOptions])(
    'refuses %j',
    (options) => {
      expect(() => modelRetryHandler(options)).toThrow(ValidationError);
    },
  );
});
