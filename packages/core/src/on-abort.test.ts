import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { onAbort } from './on-abort.ts';

const countOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('onAbort', () => {
  it('has one listener for all who share a signal, and none when the last has left', () => {
    const { signal } = new AbortController();
    const counts = [countOf(signal)];

    const leaves = Array.from({ length: 3 }, () => onAbort(signal, () => undefined));
    for (const leave of [() => undefined, ...leaves]) {
      leave();
      leave();
      counts.push(countOf(signal));
    }
    onAbort(signal, () => undefined);

    expect(counts).toEqual([0, 1, 1, 1, 0]);
    expect(countOf(signal)).toBe(1);
  });

  it('calls everybody in the order of their arrival, but for those who have left, be it meanwhile', () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push('first'))();
    onAbort(controller.signal, () => {
      called.push('second');
      leaveThird();
    });
    const leaveThird = onAbort(controller.signal, () => called.push('third'));
    onAbort(controller.signal, () => called.push('fourth'));

    controller.abort();

    expect(called).toEqual(['second', 'fourth']);
  });

  it('keeps the callers of two signals apart', () => {
    const one = new AbortController();
    const called = vi.fn<() => void>();
    onAbort(new AbortController().signal, called);
    onAbort(one.signal, () => undefined);

    one.abort();

    expect(called).not.toHaveBeenCalled();
  });
});
