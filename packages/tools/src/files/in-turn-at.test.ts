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

  it('never begins one that was aborted while it waited, and leaves one that hangs with its abort', async () => {
    const begun: string[] = [];
    const [hanging, waiting] = [new AbortController(), new AbortController()];
    const acts = [
      inTurnAt('a', of(hanging), () => new Promise<never>(() => undefined)),
      inTurnAt('a', of(waiting), async () => begun.push('aborted')),
      inTurnAt('a', of(), async () => begun.push('last')),
    ];
    const ended = Promise.allSettled(acts);
    waiting.abort();
    await expect(acts[1]).rejects.toMatchObject({ name: 'AbortError' });
    expect(begun).toEqual([]);

    hanging.abort();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(begun).toEqual(['last']);
  });
});
