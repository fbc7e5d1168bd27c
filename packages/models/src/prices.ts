import type { TokenUsage } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue, type OptionRules } from '@x/errors/option-rules';
import { type ModelPrice, type ModelPrices, PRICES, type TokenPrice } from './prices-table.ts';
import { MCP_STEP } from './wire/service-steps.ts';
import { TOOL_SEARCH_STEP } from './wire/tool-searches.ts';

/**
 * The price of a model: by its name in `overrides`, in the built-in table, then by its name without a date or `-latest` at its end in the
 * same order; undefined when it is in neither. `vendor/model` is the offer of a router, at its own price, and is found in `overrides` only.
 */
export function priceOf(model: string, overrides: ModelPrices = {}): ModelPrice | undefined {
  const exact = own(overrides, model) ?? own(PRICES, model);
  if (exact) return exact;
  const undated = model.replace(/(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/, '');
  return own(overrides, undated) ?? own(PRICES, undated);
}

/**
 * US dollars of one model call; undefined when it has used a tool of the service whose price is not in `price.uses`. With `price.long` the cost of a sum of calls is not the sum of their costs: add the costs instead.
 */
export function costOf(usage: TokenUsage, price: ModelPrice): number | undefined {
  const { inputTokens, outputTokens, cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  const { input, output, cacheRead = input, cacheWrite = input } = rateOf(inputTokens, price);
  const fresh = Math.max(0, inputTokens - read - written); // a service that counts cached tokens apart must not make it negative
  const tokens = (fresh * input + read * cacheRead + written * cacheWrite + outputTokens * output) / 1_000_000;
  return usage.serviceToolUses ? plus(tokens, usage.serviceToolUses, price.uses) : tokens;
}

function plus(cost: number, counts: Readonly<Record<string, number>>, uses: ModelPrice['uses']): number | undefined {
  const prices: ModelPrice['uses'] & object = { [TOOL_SEARCH_STEP]: 0, [MCP_STEP]: 0, ...uses }; // paid with their tokens
  let sum = cost;
  for (const [name, count] of Object.entries(counts)) {
    if (!Object.hasOwn(prices, name)) return undefined;
    sum += count * prices[name]!; // an own key
  }
  return sum;
}

const AMOUNT = is.rule('a number from 0', (value) => Number.isFinite(value) && (value as number) >= 0); // safe: it is a number
const TOKENS: OptionRules<TokenPrice> = {
  input: is.required(AMOUNT),
  output: is.required(AMOUNT),
  cacheRead: AMOUNT,
  cacheWrite: AMOUNT,
};
const PRICE: OptionRules<ModelPrice> = {
  ...TOKENS,
  long: is.nested<NonNullable<ModelPrice['long']>>({ ...TOKENS, overTokens: is.required(AMOUNT) }),
  uses: is.recordOf(AMOUNT, 'a record of US dollars by the name of the tool'),
};
const HOST_PRICES = is.required(
  is.recordOf(
    is.nested(PRICE, '{ input, output }, in US dollars per million tokens'),
    'a record of prices by the name of the model',
  ),
);

/** Checks prices given by a host; `path` names the option. @throws ValidationError naming an invalid price */
export function checkPrices(prices: unknown, path = 'prices'): ModelPrices {
  checkValue(path, prices, HOST_PRICES);
  return prices as ModelPrices; // safe: each was checked
}

function rateOf(inputTokens: number, price: ModelPrice): TokenPrice {
  return price.long && inputTokens > price.long.overTokens ? price.long : price;
}

function own(prices: ModelPrices, model: string): ModelPrice | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}
