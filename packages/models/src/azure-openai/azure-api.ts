import { ChatReplyReader } from '../openai-chat/from-stream.ts';
import { chatFormat } from '../openai-chat/to-request.ts';
import { speakResponses } from '../openai-responses/responses-api.ts';
import type { Speak } from '../wire/lazy-model.ts';
import type { AzureOpenAIConfig } from '../wire/provider-config.ts';
import { speakOver } from '../wire/speak-over.ts';
import { azureClient } from './azure-client.ts';
import { azureOptions, hasOldFields } from './azure-options.ts';

/** Talks to responses; the deployment is named in the body. */
export function azureResponsesApi(config: AzureOpenAIConfig, name: string): Speak {
  return speakResponses(config, name, (access) => azureClient({ ...config, ...access }));
}

/** Talks to chat completions of a deployment. */
export function azureApi(config: AzureOpenAIConfig, name: string): Speak {
  const old = hasOldFields(config) ? { stream_options: undefined } : {};
  const { fieldsOf } = azureOptions(config, name);
  return speakOver({
    config,
    name,
    format: chatFormat(name, { ...old, ...config.extraBody }, { provider: config.type, fieldsOf }),
    async build(access) {
      const client = await azureClient({ ...config, ...access }, { deployment: name });
      const { req, url } = await client.buildRequest({ method: 'post', path: '/chat/completions', body: {} });
      return { url, headers: req.headers };
    },
    reader: (facts) => new ChatReplyReader(facts),
    takesJson: true,
  });
}
