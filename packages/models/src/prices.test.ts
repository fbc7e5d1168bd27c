import { fc, test } from '@fast-check/vitest';
import type { TokenUsage } from '@x/core';
import { addUsage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { checkPrices, costOf, priceOf } from './prices.ts';
import { type ModelPrice, PRICES } from './prices-table.ts';

/** Of a call without tools of the service. */
const tokensCost = (usage: TokenUsage, price: ModelPrice): number => costOf(usage, price) ?? Number.NaN;
const used = (inputTokens: number, outputTokens: number, more: Partial<TokenUsage> = {}): TokenUsage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  ...more,
});

describe('priceOf', () => {
  it('knows well known models of each service', () => {
    for (const model of ['gpt-5', 'gpt-4.1-mini', 'claude-sonnet-4-5', 'claude-opus-5', 'gemini-2.5-flash']) {
      expect(priceOf(model)).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
    }
  });

  it.each([
    ['gpt-5-2025-08-07', 'gpt-5'],
    ['gpt-4o-2024-11-20', 'gpt-4o'],
    ['claude-opus-4-5-20251101', 'claude-opus-4-5'],
    ['claude-haiku-4-5@20251001', 'claude-haiku-4-5'],
    ['claude-sonnet-4-5-latest', 'claude-sonnet-4-5'],
  ])('takes %s for a version of %s', (version, model) => {
    expect(priceOf(version)).toBe(PRICES[model]);
  });

  it('prefers a version that has a price of its own', () => {
    expect(priceOf('gpt-4o-2024-05-13')).toMatchObject({ input: 5, output: 15 });
  });

  it.each(['gpt-99', '', 'gpt', 'gpt-5-turbo', 'my-deployment', 'toString', '__proto__', 'openai/gpt-5', 'GPT-5'])(
    'does not guess a price for %j',
    (model) => {
      expect(priceOf(model)).toBeUndefined();
    },
  );

  it('takes the prices of the host first, by the exact name and by the name without a date', () => {
    const own: ModelPrice = { input: 7, output: 8 };

    expect(priceOf('gpt-5', { 'gpt-5': own })).toBe(own);
    expect(priceOf('gpt-5-2025-08-07', { 'gpt-5': own })).toBe(own);
    expect(priceOf('openai/gpt-5', { 'openai/gpt-5': own })).toBe(own);
    expect(priceOf('gpt-5', { 'gpt-5-mini': own })).toBe(PRICES['gpt-5']);
    expect(priceOf('gpt-4o-2024-05-13', { 'gpt-4o': own })).toBe(PRICES['gpt-4o-2024-05-13']);
  });

  it.each(Object.entries(PRICES))('has a plausible price for %s', (model, price) => {
    expect(() => checkPrices({ [model]: price })).not.toThrow();
    expect(price.output).toBeGreaterThan(price.input);
    expect(price.cacheRead ?? 0).toBeLessThan(price.input);
    expect(price.cacheWrite ?? price.input).toBeGreaterThanOrEqual(price.input);
    expect(price.long?.input ?? Number.POSITIVE_INFINITY).toBeGreaterThan(price.input);
  });
});

describe('costOf', () => {
  const price: ModelPrice = { input: 2, output: 10, cacheRead: 0.5, cacheWrite: 2.5 };

  it('is in US dollars, by tokens of each kind', () => {
    const usage = used(1_000_000, 100_000, { cacheReadTokens: 600_000, cacheWriteTokens: 200_000 });

    expect(costOf(usage, price)).toBeCloseTo(0.2 * 2 + 0.6 * 0.5 + 0.2 * 2.5 + 0.1 * 10, 10);
  });

  it('takes cached tokens for others where they have no price', () => {
    const usage = used(1_000_000, 0, { cacheReadTokens: 600_000, cacheWriteTokens: 200_000 });

    expect(costOf(usage, { input: 2, output: 10 })).toBeCloseTo(2, 10);
  });

  it('counts reasoning as the output that it is part of', () => {
    expect(costOf(used(0, 1_000_000, { reasoningTokens: 900_000 }), price)).toBe(10);
  });

  it('takes every token of a long prompt at the price for long prompts', () => {
    const tiered: ModelPrice = { ...price, long: { overTokens: 1_000, input: 4, output: 20 } };

    expect(costOf(used(1_000, 1_000), tiered)).toBeCloseTo(0.012, 10);
    expect(costOf(used(1_001, 1_000), tiered)).toBeCloseTo((1_001 * 4 + 1_000 * 20) / 1e6, 10);
  });

  const count = fc.nat(2_000_000);
  /** Cached tokens are part of the input. */
  const usage = fc.record({ fresh: count, read: count, written: count, output: count }).map((one) =>
    used(one.fresh + one.read + one.written, one.output, {
      cacheReadTokens: one.read,
      cacheWriteTokens: one.written,
    }),
  );
  const amount = fc.integer({ min: 0, max: 10_000 }).map((cents) => cents / 100);
  const anyPrice = fc.record(
    { input: amount, output: amount, cacheRead: amount, cacheWrite: amount },
    { requiredKeys: ['input', 'output'] },
  );

  test.prop([usage, usage, anyPrice])('of two calls together is the sum of theirs', (one, other, any) => {
    const sum = tokensCost(one, any) + tokensCost(other, any);

    expect(Math.abs(tokensCost(addUsage(one, other), any) - sum)).toBeLessThanOrEqual(1e-9 * Math.max(1, sum));
  });

  test.prop([usage, amount])('counts no token twice: at one price for all it is the total', (one, same) => {
    const flat = { input: same, output: same, cacheRead: same, cacheWrite: same };

    expect(tokensCost(one, flat)).toBeCloseTo((one.totalTokens * same) / 1e6, 6);
  });

  test.prop([usage, usage, anyPrice])('never falls when more is used', (one, more, any) => {
    expect(tokensCost(addUsage(one, more), any)).toBeGreaterThanOrEqual(tokensCost(one, any) - 1e-9);
  });

  test.prop([usage, anyPrice])('is a number from 0 on, also when a service counts cached tokens apart', (one, any) => {
    const apart = { ...one, inputTokens: 1 };

    expect(tokensCost(apart, any)).toBeGreaterThanOrEqual(0);
    expect(Number.isFinite(tokensCost(apart, any))).toBe(true);
  });
});

describe('checkPrices', () => {
  it('takes prices', () => {
    const prices = { m: { input: 1, output: 0, cacheRead: 0.1, long: { overTokens: 10, input: 2, output: 3 } } };

    expect(checkPrices(prices)).toBe(prices);
  });

  it.each([
    [null, 'prices'],
    [[], 'prices'],
    [{ m: 3 }, 'prices.m'],
    [{ m: { input: 1 } }, 'prices.m.output'],
    [{ m: { input: 1, output: '2' } }, 'prices.m.output'],
    [{ m: { input: -1, output: 2 } }, 'prices.m.input'],
    [{ m: { input: Number.NaN, output: 2 } }, 'prices.m.input'],
    [{ m: { input: 1, output: 2, cachedRead: 1 } }, 'prices.m.cachedRead'],
    [{ m: { input: 1, output: 2, long: { input: 1, output: 1 } } }, 'prices.m.long.overTokens'],
    [{ m: { input: 1, output: 2, long: { overTokens: 1, input: 1, output: 1, long: {} } } }, 'prices.m.long.long'],
  ])('refuses %j', (prices, field) => {
    expect(() => checkPrices(prices)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  });

  it('names the nearest key', () => {
    expect(() => checkPrices({ m: { input: 1, output: 2, cachedRead: 1 } })).toThrow('did you mean cacheRead?');
  });
});

describe('costOf a call with tools of the service', () => {
  const price: ModelPrice = { input: 1, output: 1, uses: { web_search: 0.01, web_fetch: 0 } };

  it('has the price of each use, and is unknown where one has none', () => {
    expect(costOf(used(0, 0, { serviceToolUses: { web_search: 3, web_fetch: 9 } }), price)).toBeCloseTo(0.03);
    expect(costOf(used(0, 0, { serviceToolUses: { web_search: 1, code_execution: 1 } }), price)).toBeUndefined();
    expect(costOf(used(0, 0, { serviceToolUses: { toString: 1 } }), price)).toBeUndefined();
    expect(costOf(used(1, 1, { serviceToolUses: { web_search: 1 } }), { input: 1, output: 1 })).toBeUndefined();
  });

  it.each([
    ['claude-opus-5', 'web_search', 0.01],
    ['gpt-5', 'file_search', 0.0025],
  ])('knows prices of %s for %s', (model, name, each) => {
    expect(PRICES[model]?.uses?.[name]).toBe(each);
  });

  it('takes the prices of a host, and refuses what is no amount', () => {
    const own = { m: { input: 1, output: 1, uses: { web_search: 0.5 } } };

    expect(checkPrices(own)).toEqual(own);
    expect(() => checkPrices({ m: { input: 1, output: 1, uses: { web_search: '1' } } })).toThrow(
      'prices.m.uses.web_search',
    );
  });
});
