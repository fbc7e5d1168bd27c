import { type Model, ValidationError } from '@x/core';
import { openaiChatModel } from './openai-chat/openai-chat-model.ts';
import { apiKeyOf, checkProviderConfig, type OpenAICompatibleConfig, type ProviderConfig } from './provider-config.ts';

/**
 * The model `name` of a provider. Nothing is loaded and nothing is sent before its first stream.
 * @throws ValidationError for a configuration that does not fit or is not available yet
 * @throws AuthenticationError when there is no API key
 */
export function createModel(config: ProviderConfig, name: string): Model {
  const checked = availableConfig(config);
  if (typeof name !== 'string' || name.trim() === '')
    throw new ValidationError('model must be the name of a model', 'model');
  apiKeyOf(checked);
  return openaiChatModel(checked, name);
}

/** The configuration, when this version can speak its wire format. @throws ValidationError */
export function availableConfig(config: ProviderConfig): OpenAICompatibleConfig {
  const checked = checkProviderConfig(config);
  if (checked.type !== 'openai-compatible') {
    throw new ValidationError(`Provider ${checked.type} is not available yet; use openai-compatible`, 'provider.type');
  }
  if (checked.api === 'responses') {
    throw new ValidationError("provider.api 'responses' is not available yet; use 'chat'", 'provider.api');
  }
  return checked;
}
