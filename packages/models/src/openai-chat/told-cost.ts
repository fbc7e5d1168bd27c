import { countOf, recordOf } from '../wire/json-values.ts';
import type { ProviderConfig } from '../wire/provider-config.ts';

/** True for OpenRouter, which tells what each reply has cost, in credits of a US dollar each (openrouter.ai/docs, "Usage Accounting"). */
export function isOpenRouter(baseUrl: string | undefined): boolean {
  return baseUrl !== undefined && new URL(baseUrl).hostname === 'openrouter.ai';
}

/** US dollars in a report of usage: its charge and, with the host's own key for the service behind it, that of the service. */
export function toldCost(report: unknown): number | undefined {
  const usage = recordOf(report);
  const cost = countOf(usage, 'cost');
  if (cost === undefined || usage?.['is_byok'] !== true) return cost;
  const behind = countOf(recordOf(usage['cost_details']), 'upstream_inference_cost');
  return behind === undefined ? undefined : cost + behind;
}

/** True for a provider whose replies have their cost, whatever prices are known. */
export function tellsCost(config: ProviderConfig): boolean {
  return config.type === 'openai-compatible' && config.api !== 'responses' && isOpenRouter(config.baseUrl);
}
