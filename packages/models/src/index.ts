export { createModel } from './create-model.ts';
export { type ModelInfo, supportedModels } from './list-models.ts';
export { ModelError, type ModelErrorOptions, type VendorFacts } from './model-error.ts';
export type {
  AnthropicConfig,
  AzureOpenAIConfig,
  GeminiConfig,
  OpenAICompatibleConfig,
  ProviderConfig,
} from './provider-config.ts';
