export { createModel } from './create-model.ts';
export { type ModelInfo, supportedModels } from './list-models.ts';
export { ModelError, type ModelErrorOptions, type VendorFacts } from './model-error.ts';
export { checkPrices, costOf, priceOf } from './prices.ts';
export type { ModelPrice, ModelPrices, TokenPrice } from './prices-table.ts';
export type {
  AnthropicConfig,
  AzureOpenAIConfig,
  GeminiConfig,
  KeyVariable,
  OpenAICompatibleConfig,
  ProviderConfig,
} from './provider-config.ts';
export { keyVariables } from './provider-config.ts';
