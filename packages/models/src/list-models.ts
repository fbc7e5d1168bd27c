import * as is from '@x/errors/option-rules';
import { checkOptions } from '@x/errors/option-rules';
import { accessFor, errorContextOf, type WithAccess } from './wire/access.ts';
import type { ListedModel } from './wire/list-fetch.ts';
import { errorOfFailure } from './wire/model-error.ts';
import { checkProviderConfig, type ProviderConfig } from './wire/provider-config.ts';

/** Each provider by itself. */
type Known<Config> = Config extends ProviderConfig ? WithAccess<Config> : never;

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
  const access = await accessFor(checked, signal ?? new AbortController().signal);
  const models: ModelInfo[] = [];
  try {
    for await (const info of listOf({ ...checked, ...access }, signal))
      models.push({ ...info, provider: checked.type });
  } catch (failure) {
    throw errorOfFailure(failure, errorContextOf(checked.type, access), signal);
  }
  return models;
}

async function* listOf(config: Known<ProviderConfig>, signal?: AbortSignal): AsyncGenerator<ListedModel, void, void> {
  switch (config.type) {
    case 'openai-compatible':
      return yield* (await import('./openai-chat/list-models.ts')).openaiModels(config, signal);
    case 'anthropic':
      return yield* (await import('./anthropic/list-models.ts')).anthropicModels(config, signal);
    case 'gemini':
      return yield* (await import('./gemini/list-models.ts')).geminiModels(config, signal);
    case 'azure-openai':
      return yield* (await import('./azure-openai/list-models.ts')).azureModels(config, signal);
  }
}
