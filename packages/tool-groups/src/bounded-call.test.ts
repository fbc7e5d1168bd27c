import { describe, expect, it } from 'vitest';
import { boundedCall } from './bounded-call.ts';

describe('boundedCall()', () => {
  it('answers as the call does', async () => {
    const call = boundedCall(async () => 7, bounds());

    expect([await call.answer, await call.settled, call.cut]).toEqual([7, true, false]);
  });

  it('rejects as the call does, also when it throws at once', async () => {
    const fault = new Error('broken');
    const call = boundedCall(() => {
      throw fault;
    }, bounds());

    await expect(call.answer).rejects.toBe(fault);
    expect([await call.settled, call.cut]).toEqual([false, false]);
  });

  it('ends the wait with the first signal, and the signal of the call with it', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    let given: AbortSignal | undefined;
    const call = boundedCall(
      (signal) => {
        given = signal;
        return new Promise(() => undefined);
      },
      bounds({ signals: [undefined, first.signal, second.signal] }),
    );

    second.abort();

    await expect(call.answer).rejects.toMatchObject({ code: 'ABORTED' });
    expect([given?.aborted, call.cut]).toEqual([true, true]);
  });

  it('ends the wait when the time is up, and tells when the other side has answered after all', async () => {
    const late = Promise.withResolvers<void>();
    const call = boundedCall(() => late.promise, bounds({ timeoutMs: 1 }));

    await expect(call.answer).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'The clerk did not answer within 1 ms',
    });
    late.resolve();
    expect(await call.settled).toBe(true);
  });

  it('does not call at all when a signal was aborted before', async () => {
    let calls = 0;
    const call = boundedCall(() => void calls++, bounds({ signals: [AbortSignal.abort()] }));

    await expect(call.answer).rejects.toMatchObject({ code: 'ABORTED' });
    expect([await call.settled, calls]).toEqual([false, 0]);
  });

  it('leaves neither a timer nor a listener behind', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const abort = new AbortController();
    const calls = Array.from({ length: 5 }, () => boundedCall(async () => 1, bounds({ signals: [abort.signal] })));
    await Promise.all(calls.map(({ answer }) => answer));

    abort.abort();

    expect(calls.map(({ cut }) => cut)).toEqual(Array(5).fill(false));
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBe(before);
  });
});

function bounds(more: { readonly signals?: readonly (AbortSignal | undefined)[]; readonly timeoutMs?: number } = {}) {
  return { who: 'The clerk', signals: [], timeoutMs: 10_000, ...more };
}
