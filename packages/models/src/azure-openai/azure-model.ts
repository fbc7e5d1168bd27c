import type { Model } from '@x/core';
import { RESERVED_IN_CHAT } from '../openai-chat/openai-chat-model.ts';
import { responsesModel } from '../openai-responses/openai-responses-model.ts';
import { checkExtraBody } from '../wire/extra-body.ts';
import { lazyModel } from '../wire/lazy-model.ts';
import type { AzureOpenAIConfig } from '../wire/provider-config.ts';
import { azureOptions } from './azure-options.ts';

/** Creates a model for an OpenAI deployment on Azure; `name` is that of the deployment. @throws ValidationError */
export function azureModel(config: AzureOpenAIConfig, name: string): Model {
  if (config.api === 'responses') {
    return responsesModel(config, name, async () => {
      const { azureResponsesApi } = await import('./azure-api.ts');
      return azureResponsesApi(config, name);
    });
  }
  checkExtraBody(config.extraBody, RESERVED_IN_CHAT);
  const load = async () => {
    const { azureApi } = await import('./azure-api.ts');
    return azureApi(config, name);
  };
  return lazyModel(config, name, { options: azureOptions(config, name), load });
}
