export { tellsCost } from './openai-chat/told-cost.ts';
export { checkPrices } from './prices.ts';
export type { TokenPrice } from './prices-table.ts';
export type { ModelErrorOptions } from './wire/model-error.ts';
export type { KeyVariable } from './wire/provider-config.ts';
export { keyVariables, PROVIDER_TYPES } from './wire/provider-config.ts';
export type { VendorFacts } from './wire/vendor-error.ts';
