import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { inTurnAt } from './in-turn-at.ts';

const workspace = memoryWorkspace();
const of = ({ signal } = new AbortController()) => ({ workspace, signal });

describe('inTurnAt', () => {
  it('begins an act when the one before has ended, well or not, by whatever path', async () => {
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    const acts = [
      inTurnAt('a', of(), async () => {
        steps.push('one');
        await first.promise;
        steps.push('one has failed');
        throw new Error('full');
      }),
      inTurnAt('./b/../a', of(), async () => steps.push('two')),
      inTurnAt('other', of(), async () => steps.push('other')),
    ];
    await acts[2];
    expect(steps).toEqual(['one', 'other']);

    first.resolve();
    expect((await Promise.allSettled(acts)).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(steps).toEqual(['one', 'other', 'one has failed', 'two']);
  });

  it('never begins one that was aborted while it waited', async () => {
    const begun: string[] = [];
    const [first, waiting] = [Promise.withResolvers<void>(), new AbortController()];
    const acts = [
      inTurnAt('a', of(), () => first.promise),
      inTurnAt('a', of(waiting), async () => begun.push('aborted')),
    ];
    await workspace.resolve('a');
    waiting.abort();
    await expect(acts[1]).rejects.toMatchObject({ name: 'AbortError' });

    first.resolve();
    await acts[0];
    expect(begun).toEqual([]);
  });

  it('waits for one that is at work, also behind one that was aborted while it waited', async () => {
    const begun: string[] = [];
    const [first, waiting] = [Promise.withResolvers<void>(), new AbortController()];
    const one = inTurnAt('a', of(), () => first.promise);
    const aborted = inTurnAt('a', of(waiting), async () => begun.push('aborted'));
    await workspace.resolve('a');
    waiting.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    const last = inTurnAt('a', of(), async () => begun.push('last'));
    await inTurnAt('other', of(), async () => undefined);
    expect(begun).toEqual([]);

    first.resolve();
    await Promise.all([one, last]);
    expect(begun).toEqual(['last']);
  });

  it('leaves one that hangs with its abort', async () => {
    const begun: string[] = [];
    const hanging = new AbortController();
    const ended = Promise.allSettled([
      inTurnAt('a', of(hanging), () => new Promise<never>(() => undefined)),
      inTurnAt('a', of(), async () => begun.push('last')),
    ]);
    await workspace.resolve('a');

    hanging.abort();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(begun).toEqual(['last']);
  });
});
