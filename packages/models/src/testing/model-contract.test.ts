import { describe, expect, it } from 'vitest';
import { CUTS_PER_STREAM } from '../../test/contract-subjects.ts';
import { find, rightModel, streams } from '../../test/wrong-models.ts';
import { type ModelContractOptions, modelContract } from './index.ts';

describe('modelContract', () => {
  it.each(modelContract({ open: rightModel, streams, cutsPerStream: CUTS_PER_STREAM }))(
    'holds for a right model: $name',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
  );

  it('has a case for a stream only if the stream is given', () => {
    const { text, call, parallelCalls, length, refusal } = streams;
    const few = modelContract({ open: rightModel, streams: { text, call, parallelCalls, length, refusal } });
    const all = modelContract({ open: rightModel, streams });

    const more = all.map(({ name }) => name).filter((name) => !few.some((item) => item.name === name));

    expect(more.filter((name) => !name.includes(':')).toSorted()).toEqual([
      'counts cached tokens as input, and shows them',
      'fails with a typed error when the service ends the stream with one, whole or in pieces',
      'gives a call without arguments an empty input',
      'returns an answer of a given form as text that is JSON',
      'streams thinking, and keeps it before the text',
    ]);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it('takes the words in which a service says that the context is too long', async () => {
    const contextOverflow =
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}';
    const cases = modelContract({ open: rightModel, streams, contextOverflow });

    await expect(find(cases, 'says that the messages do not fit').run()).resolves.toBeUndefined();
  });
});

describe('cutsPerStream', () => {
  const cutOf = (cutsPerStream: number) =>
    find(
      modelContract({ open: counting, streams, cutsPerStream }),
      'text: is whole or a typed error, to be retried, wherever',
    );
  let calls = 0;
  const counting: ModelContractOptions['open'] = (url, apiKey) => {
    const right = rightModel(url, apiKey);
    calls = 0;
    return {
      ...right,
      stream(request) {
        calls++;
        return right.stream(request);
      },
    };
  };

  it.each([1, 2, 7, 48])('makes the contract cut a stream at %i places', async (most) => {
    await cutOf(most).run();

    expect(calls).toBe(most + 1);
  });

  it('allows no more than every byte', () => {
    const names = (options: Partial<ModelContractOptions>) =>
      modelContract({ open: rightModel, streams, ...options }).map(({ name }) => name);

    expect(names({ cutsPerStream: 1_000_000 })).toEqual(names({}));
  });

  it.each([0, -1, 1.5, Number.NaN])('is refused when it is %d', (cutsPerStream) => {
    expect(() => modelContract({ open: rightModel, streams, cutsPerStream })).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'cutsPerStream' }),
    );
  });
});
