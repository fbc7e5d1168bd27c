export { createModel } from './create-model.ts';
export { type ModelInfo, supportedModels } from './list-models.ts';
export { costOf, priceOf } from './prices.ts';
export type { ModelPrice, ModelPrices } from './prices-table.ts';
export { ModelError } from './wire/model-error.ts';
export type {
  AnthropicConfig,
  AzureOpenAIConfig,
  GeminiConfig,
  OpenAICompatibleConfig,
  ProviderConfig,
} from './wire/provider-config.ts';
