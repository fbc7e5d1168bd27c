import { AgentError } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { journaledRun, requestOf } from '../../test/journaled-run.ts';
import { modelRetryHandler } from './model-retry-handler.ts';
import type { ModelRetryOptions } from './retry-model-call.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The waits that were told, when chance gives this share of each. */
async function waits(share: number, options?: ModelRetryOptions): Promise<number[]> {
  vi.spyOn(Math, 'random').mockReturnValue(share);
  const error = new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true });
  const model = scriptedModel(() => ({ error }));
  const { run } = journaledRun();
  const stream = modelRetryHandler(options).wrapModelCall!(requestOf(), (request) => model.stream(request), run);
  const told: number[] = [];
  const reading = (async () => {
    for await (const event of stream) {
      if (event.type === 'notification') told.push(Number(/in (\d+) ms/.exec(event.message)?.[1]));
    }
  })();
  reading.catch(() => undefined); // read below
  await vi.runAllTimersAsync();
  await expect(reading).rejects.toBe(error);
  return told;
}

describe('the waits of modelRetryHandler', () => {
  it.each([
    [1, [500, 1000]],
    [0.5, [250, 500]],
    [0, [0, 0]],
  ])('are two, from nothing up to 500 ms and then twice that, by chance (%d)', async (share, expected) => {
    expect(await waits(share)).toEqual(expected);
  });

  it('are never longer than 30 seconds of their own', async () => {
    const long = await waits(1, { maxAttempts: 9 });

    expect(long).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('end with the budget of the run, 120 seconds', async () => {
    const long = await waits(1, { maxAttempts: 50 });

    expect(long.reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
  });
});
