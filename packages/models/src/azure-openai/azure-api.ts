import { ChatReplyReader } from '../openai-chat/from-stream.ts';
import { chatFormat } from '../openai-chat/to-request.ts';
import type { Speak } from '../wire/lazy-model.ts';
import type { AzureOpenAIConfig } from '../wire/provider-config.ts';
import { speakOver } from '../wire/speak-over.ts';
import { azureAddress } from './azure-address.ts';
import { azureClient } from './azure-client.ts';

/** The first dated version that supports `stream_options`; earlier ones refuse it. */
const STREAM_OPTIONS_SINCE = '2024-09-01';

/** Talks to chat completions of a deployment. */
export function azureApi(config: AzureOpenAIConfig, name: string): Speak {
  const { version = STREAM_OPTIONS_SINCE } = azureAddress(config.baseUrl, config.apiVersion);
  const old = version < STREAM_OPTIONS_SINCE ? { stream_options: undefined } : {};
  return speakOver({
    config,
    name,
    format: chatFormat(name, { ...old, ...config.extraBody }, { provider: config.type }),
    async build(apiKey) {
      const client = await azureClient(config, apiKey, { deployment: name });
      const { req, url } = await client.buildRequest({ method: 'post', path: '/chat/completions', body: {} });
      return { url, headers: req.headers };
    },
    reader: (facts) => new ChatReplyReader(facts),
    takesJson: true,
  });
}
