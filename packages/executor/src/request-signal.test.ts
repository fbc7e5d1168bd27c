import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RequestSignal } from './request-signal.ts';

describe('RequestSignal', () => {
  it('is the same for the same urgent signal, and aborted with the run or by an urgent message, with their reason', () => {
    const [run, urgent, later] = [new AbortController(), new AbortController(), new AbortController()];
    const requests = new RequestSignal(run.signal);
    const first = requests.with(urgent.signal);

    expect(requests.with(urgent.signal)).toBe(first);
    expect(first.aborted).toBe(false);

    urgent.abort('a message');
    const second = requests.with(later.signal);

    expect([first.aborted, first.reason, second.aborted]).toEqual([true, 'a message', false]);

    run.abort('the end');

    expect([second.aborted, second.reason]).toEqual([true, 'the end']);
  });

  it('is aborted at once after the run was', () => {
    const signal = new RequestSignal(AbortSignal.abort('before')).with(new AbortController().signal);

    expect([signal.aborted, signal.reason]).toEqual([true, 'before']);
  });

  it('leaves no listener once it is closed', () => {
    const [run, urgent] = [new AbortController().signal, new AbortController().signal];
    const requests = new RequestSignal(run);
    requests.with(urgent);
    const held = [run, urgent].map((signal) => getEventListeners(signal, 'abort').length);

    requests.close();

    expect(held).toEqual([1, 1]);
    expect([run, urgent].map((signal) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
  });
});
