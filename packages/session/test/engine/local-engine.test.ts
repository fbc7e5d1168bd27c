import { describe, expect, it, vi } from 'vitest';
import { type LocalEngineOptions, localEngine } from '../../src/index.ts';
import { EngineWitness, untilAborted } from '../../src/testing/engine-witness.ts';
import { codeOf } from '../support/makers.ts';

describe('localEngine()', () => {
  it('runs as many sessions at a time as it was told, of all who serve together', async () => {
    await using engine = localEngine({ concurrency: 3 });
    const witness = new EngineWitness();
    const release = Promise.withResolvers<void>();
    const work = witness.work(() => release.promise);
    await engine.serve(work);
    await engine.serve(work);

    for (let index = 0; index < 7; index++) await engine.submit(`s${index}`);
    await witness.until(() => witness.started.length === 3);
    await new Promise((resolve) => setImmediate(resolve));

    expect(witness.started).toEqual(['s0', 's1', 's2']);
    release.resolve();
    await witness.until(() => witness.ended.length === 7);
    expect(witness.started).toHaveLength(7);
  });

  it('waits longer after each rejection, up to its limit, and tells each one', async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const told: unknown[][] = [];
    await using engine = localEngine({
      retryDelay: 100,
      maxRetryDelay: 300,
      onError: (error, sessionId) => told.push([error, sessionId, Date.now()]),
    });
    const failure = new Error('no');
    await engine.serve(() => Promise.reject(failure));
    const start = Date.now();

    await engine.submit('one');
    await vi.advanceTimersByTimeAsync(1000);

    expect(told).toEqual([0, 100, 300, 600, 900].map((ms) => [failure, 'one', start + ms]));
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('counts rejections from the last time the session was done, and takes an ask meanwhile for the same', async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
    await using engine = localEngine({ retryDelay: 100 });
    const starts: number[] = [];
    const fails = [true, true, false, true, false];
    const begin = Date.now();
    await engine.serve(async (sessionId) => {
      starts.push(Date.now() - begin);
      if (starts.length === 3) await engine.submit(sessionId);
      if (fails[starts.length - 1]) throw new Error('no');
    });

    await engine.submit('one');
    await vi.advanceTimersByTimeAsync(50);
    await engine.submit('one');
    await vi.advanceTimersByTimeAsync(2000);

    expect(starts).toEqual([0, 100, 300, 300, 400]);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it.each(['engine', 'serving'] as const)('leaves no timer when the %s is disposed of', async (what) => {
    vi.useFakeTimers();
    const engine = localEngine();
    const serving = await engine.serve(() => Promise.reject(new Error('no')));
    await engine.submit('one');
    await vi.advanceTimersByTimeAsync(0);
    const before = vi.getTimerCount();

    await { engine, serving }[what][Symbol.asyncDispose]();

    expect([before, vi.getTimerCount()]).toEqual([1, 0]);
    vi.useRealTimers();
    await engine[Symbol.asyncDispose]();
  });

  it('does not call work that was left before it began', async () => {
    await using engine = localEngine();
    const work = vi.fn<() => Promise<void>>(async () => undefined);
    const serving = await engine.serve(work);

    const asked = engine.submit('one');
    await serving[Symbol.asyncDispose]();
    await asked;

    expect(work).not.toHaveBeenCalled();
  });

  it('does not count being cut off as a failure', async () => {
    const onError = vi.fn<() => void>();
    await using engine = localEngine({ onError });
    const witness = new EngineWitness();
    const serving = await engine.serve(witness.work((_, signal) => untilAborted(signal)));
    await engine.submit('one');
    await witness.until(() => witness.started.length === 1);

    await serving[Symbol.asyncDispose]();

    expect(onError).not.toHaveBeenCalled();
  });

  it.each<[string, object]>([
    ['retrydelay', { retrydelay: 1 }],
    ['concurrency', { concurrency: 0 }],
    ['concurrency', { concurrency: 1.5 }],
    ['retryDelay', { retryDelay: -1 }],
    ['retryDelay', { retryDelay: Number.NaN }],
    ['maxRetryDelay', { maxRetryDelay: 2 ** 31 }],
    ['onError', { onError: 'log' }],
  ])('refuses %s given as %j', (field, options) => {
    expect(() => localEngine(options as LocalEngineOptions)).toThrow(expect.objectContaining({ field }));
  });

  it('refuses what is no id and what is no work, and everything once it is closed', async () => {
    const engine = localEngine();

    const codes = [await codeOf(engine.submit(7 as never)), await codeOf(engine.serve('work' as never))];
    await engine[Symbol.asyncDispose]();
    codes.push(await codeOf(engine.submit('one')), await codeOf(engine.serve(async () => undefined)));

    expect(codes).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR', 'SESSION_CLOSED', 'SESSION_CLOSED']);
  });
});
