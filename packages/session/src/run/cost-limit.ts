import { type AgentHandler, SessionError, ValidationError } from '@x/core';
import { ownHandler } from '@x/handlers/internal';
import { priceOf } from '@x/models';
import { tellsCost } from '@x/models/internal';
import type { SessionOptions } from '../options/types.ts';

/**
 * Ends a run that has cost `limit` US dollars, before its next model call and in all its agents; `spent` is undefined when the price of a
 * call is not known, which ends it too. @throws SessionError `COST_LIMIT`
 */
export function costLimit(limit: number, spent: () => number | undefined): AgentHandler {
  return ownHandler({
    name: 'cost-limit',
    beforeModelRewriteHistory(messages) {
      const cost = spent();
      if (cost !== undefined && cost < limit) return messages;
      const why =
        cost === undefined
          ? 'the price of one of its calls is not known; give it in prices'
          : `it has cost ${cost.toFixed(4)}; raise maxCost, or send a message for another run`;
      throw new SessionError(`The run may cost ${limit} US dollars: ${why}`, {
        code: 'COST_LIMIT',
        details: { maxCost: limit, cost },
      });
    },
  });
}

/**
 * Refuses models without a price where the cost is limited; those of a custom provider, and of OpenRouter, say themselves what they cost.
 * @throws ValidationError
 */
export function admitPrices(
  { maxCost, prices, provider, agents = [] }: SessionOptions,
  models: readonly string[],
): void {
  if (maxCost === undefined || provider.type === 'custom' || tellsCost(provider)) return;
  const named = agents.flatMap(({ model }) => (model === undefined ? [] : [model]));
  const unknown = [...models, ...named].find((name) => priceOf(name, prices) === undefined);
  if (unknown === undefined) return;
  throw new ValidationError(`maxCost needs the price of ${unknown}, which is not known; give it in prices`, 'maxCost');
}
