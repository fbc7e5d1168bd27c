import { ValidationError } from '@x/core';
import type { AzureOpenAIConfig } from '../provider-config.ts';
import type { ListedModel } from '../wire/listed-model.ts';

export async function* azureModels(
  _config: AzureOpenAIConfig,
  _apiKey: string,
  _signal?: AbortSignal,
): AsyncGenerator<ListedModel, void, void> {
  throw new ValidationError('This provider is not available yet', 'provider.type');
}
