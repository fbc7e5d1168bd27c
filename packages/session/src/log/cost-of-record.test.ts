import { describe, expect, it } from 'vitest';
import { costOfRecord } from './usage.ts';

const note = (data: unknown) => costOfRecord({ type: 'note', name: 'usage', data } as never); // as a handler may write it

describe('costOfRecord', () => {
  it('is 0 for a note about nothing, and unknown for a model without a price', () => {
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

    expect([note(null), note({}), note({ usage })]).toEqual([0, 0, undefined]);
  });
});
