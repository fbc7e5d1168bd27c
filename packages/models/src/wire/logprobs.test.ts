import { describe, expect, it } from 'vitest';
import { TokenLogprobs } from './logprobs.ts';

const wanted = () => TokenLogprobs.for({ options: { logprobs: true } })!; // asked for
const many = (count: number, top: number) =>
  Array.from({ length: count }, (_, at) => ({
    token: `t${at}`,
    logprob: -1,
    top_logprobs: Array.from({ length: top }, () => ({ token: 'x', logprob: -2 })),
  }));

describe('TokenLogprobs', () => {
  it.each([undefined, {}, { seed: 1 }])('are there only for a request that asks for them: %j', (options) => {
    expect(TokenLogprobs.for(options ? { options } : {})).toBeUndefined();
  });

  it('are no field when none has come', () => {
    expect(wanted().field()).toEqual({});
  });

  it('leave out what is no token', () => {
    const logprobs = wanted();

    for (const list of [null, 'x', {}, [null], ['x'], [{ token: 7, logprob: -1 }], [{ token: 'a', logprob: '-1' }]]) {
      logprobs.addAll(list);
    }
    for (const result of [null, [], { chosenCandidates: {} }, { topCandidates: [{ candidates: [{}] }] }]) {
      logprobs.addResult(result);
    }
    logprobs.addAll([{ token: 'a', logprob: -1, top_logprobs: [null, { token: 'b' }, { token: 'c', logprob: -2 }] }]);
    logprobs.addResult({ chosenCandidates: [{ token: 'd', logProbability: -3 }], topCandidates: null });

    expect(logprobs.field()).toEqual({
      logprobs: [
        { token: 'a', logprob: -1, top: [{ token: 'c', logprob: -2 }] },
        { token: 'd', logprob: -3 },
      ],
    });
  });

  it.each([
    [0, 20_000],
    [19, 1_000],
    [2, 6_666],
  ])('end where there is no more room, without a gap: %i alternatives each', (top, kept) => {
    const logprobs = wanted();

    logprobs.addAll(many(25_000, top));
    logprobs.addAll([{ token: 'late', logprob: -1 }]);

    const { logprobs: tokens = [] } = logprobs.field();
    expect(tokens.map(({ token }) => token)).toEqual(Array.from({ length: kept }, (_, at) => `t${at}`));
  });

  it('cut a token that is none of a model', () => {
    const logprobs = wanted();

    logprobs.addAll([{ token: 'x'.repeat(1e6), logprob: -1 }]);

    expect(logprobs.field().logprobs?.[0]?.token).toHaveLength(200);
  });
});
