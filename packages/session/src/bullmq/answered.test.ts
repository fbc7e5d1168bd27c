import { describe, expect, it } from 'vitest';
import { answered } from './answered.ts';

describe('answered', () => {
  it('returns the answer', async () => {
    await expect(answered(async () => 'PONG', 1_000)).resolves.toBe('PONG');
  });

  it('does not wait for ever', async () => {
    const silent = answered(() => Promise.withResolvers<void>().promise, 5);

    await expect(silent).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      retryable: true,
      message: 'The queue of runs could not use BullMQ: no answer for 5 ms.',
    });
  });
});
