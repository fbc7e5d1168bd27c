import { knownNames, type TokenUsage, ValidationError } from '@x/core';
import { type ModelPrice, type ModelPrices, PRICES, type TokenPrice } from './prices-table.ts';

/**
 * What a model costs: by its name in `overrides`, in the built-in table, then by its name without a date or `-latest` behind it
 * in the same order; undefined when it is in neither. `vendor/model` names what a router offers, at a price of its own, and is
 * found in `overrides` only.
 */
export function priceOf(model: string, overrides: ModelPrices = {}): ModelPrice | undefined {
  const undated = model.replace(/(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/, '');
  return own(overrides, model) ?? own(PRICES, model) ?? own(overrides, undated) ?? own(PRICES, undated);
}

/** US dollars of one model call. A sum of several calls has no cost of its own where `price.long` is set: add the costs instead. */
export function costOf(usage: TokenUsage, price: ModelPrice): number {
  const { inputTokens, outputTokens, cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  const { input, output, cacheRead = input, cacheWrite = input } = rateOf(inputTokens, price);
  const fresh = Math.max(0, inputTokens - read - written); // a service that counts cached tokens apart must not make it negative
  return (fresh * input + read * cacheRead + written * cacheWrite + outputTokens * output) / 1_000_000;
}

/** Prices that a host gives. @throws ValidationError naming what is not a price */
export function checkPrices(prices: unknown): ModelPrices {
  if (!isRecord(prices))
    throw new ValidationError('prices must be a record of prices by the name of the model', 'prices');
  for (const [model, price] of Object.entries(prices)) checkPrice(price, `prices.${model}`, [...RATES, 'long']);
  return prices as ModelPrices; // safe: each was checked
}

const RATES = ['input', 'output', 'cacheRead', 'cacheWrite'];

function checkPrice(price: unknown, where: string, known: readonly string[]): void {
  if (!isRecord(price)) {
    throw new ValidationError(`${where} must be { input, output }, in US dollars per million tokens`, where);
  }
  for (const [key, value] of Object.entries(price)) {
    if (!known.includes(key)) {
      throw new ValidationError(`${where} has no ${key}; ${knownNames(key, known)}`, `${where}.${key}`);
    }
    if (key === 'long') checkPrice(value, `${where}.long`, [...RATES, 'overTokens']);
    else checkAmount(value, `${where}.${key}`);
  }
  for (const key of known.filter((name) => name === 'input' || name === 'output' || name === 'overTokens')) {
    if (price[key] === undefined) throw new ValidationError(`${where} needs ${key}`, `${where}.${key}`);
  }
}

function checkAmount(value: unknown, where: string): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw new ValidationError(`${where} must be a number from 0 on`, where);
}

function rateOf(inputTokens: number, price: ModelPrice): TokenPrice {
  return price.long && inputTokens > price.long.overTokens ? price.long : price;
}

function own(prices: ModelPrices, model: string): ModelPrice | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
