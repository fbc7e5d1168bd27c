import * as is from '@x/errors/option-rules';
import { checkOptions } from '@x/errors/option-rules';
import type { ListedModel } from './wire/list-fetch.ts';
import { errorOfFailure } from './wire/model-error.ts';
import { apiKeyOf, checkProviderConfig, type ProviderConfig } from './wire/provider-config.ts';

/** A model that a provider offers. */
export interface ModelInfo extends ListedModel {
  readonly provider: string;
}

/**
 * Lists the models of a provider.
 * @throws ValidationError, AuthenticationError as `createModel`; ModelError when the service does not answer with a list
 */
export async function supportedModels(
  config: ProviderConfig,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ModelInfo[]> {
  checkOptions('supportedModels options', options, { signal: is.abortSignal });
  const { signal } = options;
  const checked = checkProviderConfig(config);
  const apiKey = apiKeyOf(checked);
  const models: ModelInfo[] = [];
  try {
    for await (const info of listOf(checked, apiKey, signal)) models.push({ ...info, provider: checked.type });
  } catch (failure) {
    throw errorOfFailure(failure, { provider: checked.type, apiKey }, signal);
  }
  return models;
}

async function* listOf(
  config: ProviderConfig,
  apiKey: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedModel, void, void> {
  switch (config.type) {
    case 'openai-compatible':
      return yield* (await import('./openai-chat/list-models.ts')).openaiModels(config, apiKey, signal);
    case 'anthropic':
      return yield* (await import('./anthropic/list-models.ts')).anthropicModels(config, apiKey, signal);
    case 'gemini':
      return yield* (await import('./gemini/list-models.ts')).geminiModels(config, apiKey, signal);
    case 'azure-openai':
      return yield* (await import('./azure-openai/list-models.ts')).azureModels(config, apiKey, signal);
  }
}
