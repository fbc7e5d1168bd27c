import type { Model } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import { anthropicModel } from './anthropic/anthropic-model.ts';
import { azureModel } from './azure-openai/azure-model.ts';
import { geminiModel } from './gemini/gemini-model.ts';
import { openaiChatModel } from './openai-chat/openai-chat-model.ts';
import { openaiResponsesModel } from './openai-responses/openai-responses-model.ts';
import { checkProviderConfig, fixedKeyOf, type ProviderConfig } from './wire/provider-config.ts';

/**
 * Creates the model `name` of a provider. Nothing is loaded and nothing is sent before its first stream.
 * @throws ValidationError for an invalid configuration
 * @throws AuthenticationError when there is no API key
 */
export function createModel(config: ProviderConfig, name: string): Model {
  const checked = ownConfig(checkProviderConfig(config));
  checkValue('model', name, is.required(is.words, 'the name of a model'));
  fixedKeyOf(checked);
  switch (checked.type) {
    case 'openai-compatible':
      return checked.api === 'responses' ? openaiResponsesModel(checked, name) : openaiChatModel(checked, name);
    case 'anthropic':
      return anthropicModel(checked, name);
    case 'gemini':
      return geminiModel(checked, name);
    case 'azure-openai':
      return azureModel(checked, name);
  }
}

/** A copy, because later changes by the host are not checked; functions are not copied. */
function ownConfig(config: ProviderConfig): ProviderConfig {
  const { apiKey, headers, ...plain } = config;
  return {
    ...structuredClone(plain),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers === undefined ? {} : { headers: typeof headers === 'function' ? headers : { ...headers } }),
  };
}
