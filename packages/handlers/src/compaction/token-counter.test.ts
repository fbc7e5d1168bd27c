import type { Model, ModelRequest } from '@x/core';
import { AbortError, AgentError } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { atBoundary, recordIn, setUp, summaryReply } from '../../test/compaction-parts.ts';
import { answered, longTurn, said } from '../../test/histories.ts';
import { compactionHandler } from './compaction-handler.ts';
import { TokenCounter } from './token-counter.ts';

const failed = (retryable: boolean) => new AgentError('no', { code: 'MODEL_ERROR', statusCode: 404, retryable });
/** A model that counts so; what it was asked to count. */
function countingModel(countTokens: (request: ModelRequest) => Promise<number>) {
  const asked: ModelRequest[] = [];
  const model: Model = {
    ...scriptedModel(() => summaryReply, { contextWindow: 1_000 }),
    countTokens(request) {
      asked.push(request);
      return countTokens(request);
    },
  };
  return { model, asked };
}
const question = (
  model: Model,
  size: { counted: number; estimated: number },
  signal = new AbortController().signal,
) => ({
  model,
  size,
  limit: 800,
  window: 1_000,
  signal,
  request: () => ({ instruction: 'Be brief.', messages: [], tools: [] }),
});

describe('TokenCounter', () => {
  it.each([
    ['far below', { counted: 100, estimated: 300 }, 400],
    ['far above', { counted: 700, estimated: 210 }, 910],
    ['below, with twice the estimate', { counted: 400, estimated: 199 }, 599],
    ['above, with half of it', { counted: 500, estimated: 600 }, 1_100],
    ['near, with nearly nothing estimated', { counted: 795, estimated: 9 }, 804],
    ['above by the count alone', { counted: 800, estimated: 500 }, 1_300],
  ])('asks nothing where the estimate decides: %s', async (_, size, tokens) => {
    const { model, asked } = countingModel(async () => 1);

    expect(await new TokenCounter().tokens(question(model, size))).toBe(tokens);
    expect(asked).toHaveLength(0);
  });

  it.each([
    ['below, but for twice the estimate', { counted: 400, estimated: 200 }],
    ['above, but for half of it', { counted: 500, estimated: 599 }],
    ['all of it estimated', { counted: 0, estimated: 900 }],
  ])('asks where it does not: %s', async (_, size) => {
    const { model, asked } = countingModel(async () => 321);

    expect(await new TokenCounter().tokens(question(model, size))).toBe(321);
    expect(asked).toMatchObject([{ instruction: 'Be brief.', messages: [], tools: [] }]);
  });

  it.each<[string, () => Promise<number>, number]>([
    ['fails for good, and then asks no more', () => Promise.reject(failed(false)), 1],
    ['fails for now, and then asks again', () => Promise.reject(failed(true)), 2],
    [
      'throws',
      () => {
        throw new TypeError('x');
      },
      1,
    ],
    ['gives what is no number', async () => Number.NaN, 2],
  ])('estimates where the service %s', async (_, countTokens, times) => {
    const { model, asked } = countingModel(countTokens);
    const counter = new TokenCounter();

    const size = { counted: 400, estimated: 300 };
    expect([await counter.tokens(question(model, size)), await counter.tokens(question(model, size))]).toEqual([
      700, 700,
    ]);
    expect(asked).toHaveLength(times);
  });

  it('estimates for a model that does not count', async () => {
    const size = { counted: 400, estimated: 300 };

    expect(await new TokenCounter().tokens(question(scriptedModel([]), size))).toBe(700);
  });

  it('ends with the run, also where the model does not, and is asked again by the next', async () => {
    const { model, asked } = countingModel(() => new Promise(() => undefined));
    const counter = new TokenCounter();
    const abort = new AbortController();

    const counting = counter.tokens(question(model, { counted: 400, estimated: 300 }, abort.signal));
    abort.abort();

    expect(await counting).toBe(700);
    expect(asked[0]?.signal.aborted).toBe(true);
    const next = new AbortController();
    const again = counter.tokens(question(model, { counted: 400, estimated: 300 }, next.signal));
    next.abort();
    await again;
    expect(asked).toHaveLength(2);
  });
});

describe('compactionHandler with a model that counts', () => {
  /** Counted are 620 of 1000, and an estimate of 160 comes after it: below the threshold of 800. */
  const below = () => [...longTurn(5, 200, { inputTokens: 600, outputTokens: 20 }), said('x '.repeat(200), 99)];
  /** The same with an estimate of 280: above it. */
  const above = () => [...longTurn(5, 200, { inputTokens: 600, outputTokens: 20 }), said('x '.repeat(450), 99)];
  const parts = (countTokens: (request: ModelRequest) => Promise<number>) => {
    const { model, asked } = countingModel(countTokens);
    return { ...setUp(), handler: compactionHandler({ model: () => model }), asked };
  };

  it('compacts when the service counts more than the estimate, and records what it has counted', async () => {
    const made = parts(async () => 900);
    const messages = below();

    expect(await atBoundary(made, messages)).not.toBe(messages);
    expect(recordIn(made)).toMatchObject({ tokensBefore: 900 });
    const plain = setUp();
    expect(await atBoundary(plain, messages)).toBe(messages); // without a count
  });

  it('leaves the history when the service counts less', async () => {
    const made = parts(async () => 700);
    const messages = above();

    expect(await atBoundary(made, messages)).toBe(messages);
    expect(made.asked).toHaveLength(1);
    expect(await atBoundary(setUp(), messages)).not.toBe(messages); // without a count
  });

  it('asks with what the run sends: of its beginning, then of its last request', async () => {
    const made = parts(async () => 700);
    const tool = { name: 'look', description: '', inputSchema: { json: {} } } as never;
    const meta = { tool, returnDirectly: false };
    const config = { instruction: 'Begin.', tools: [meta], input: [], options: { maxTurns: 5 } };
    const messages = above();

    await made.handler.beforeAgent!(config, made.run);
    await atBoundary(made, messages);
    const signal = new AbortController().signal;
    const request = { instruction: 'Later.', messages: [], tools: [], options: { seed: 7 }, signal };
    await made.handler.wrapModelCall!(request, () => scriptedModel([{}]).stream(request), made.run).next();
    await atBoundary(made, messages);

    expect(made.asked).toMatchObject([
      { instruction: 'Begin.', tools: [{ name: 'look' }] },
      { instruction: 'Later.', tools: [], options: { seed: 7 } },
    ]);
    expect(made.asked.every((one) => one.messages === messages)).toBe(true);
  });

  it('does not ask in the turns of an ordinary run', async () => {
    const made = parts(() => Promise.reject(new AbortError()));
    let messages = [said('Do it.')];

    for (let turn = 1; turn <= 20; turn++) {
      messages = [
        ...messages,
        ...answered({ calls: ['y'.repeat(60)], second: turn, usage: { inputTokens: 30 * turn, outputTokens: 3 } }),
      ] as typeof messages; // safe: a history
      await atBoundary(made, messages);
    }

    expect(made.asked).toHaveLength(0);
  });

  it('does not compact a run that was aborted while its tokens were counted', async () => {
    const { model } = countingModel(() => new Promise(() => undefined));
    const attempts: unknown[] = [];
    const hook = (attempt: unknown) => ({ blocked: attempts.push(attempt) === 0 });
    const made = { ...setUp(), handler: compactionHandler({ model: () => model, hook }) };
    const messages = above();
    const abort = new AbortController();
    const run = new Proxy(made.run, {
      get: (of, key, self) => (key === 'signal' ? abort.signal : Reflect.get(of, key, self)),
    });

    const view = made.handler.beforeModelRewriteHistory!(messages, run);
    abort.abort();

    expect(await view).toBe(messages);
    expect(recordIn(made)).toBeUndefined();
    expect(attempts).toEqual([]);
  });
});
