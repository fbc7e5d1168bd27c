export { checkPrices } from './prices.ts';
export type { TokenPrice } from './prices-table.ts';
export { type ModelErrorOptions, type VendorFacts } from './wire/model-error.ts';
export type { KeyVariable } from './wire/provider-config.ts';
export { keyVariables } from './wire/provider-config.ts';
