import type { OpenAI } from 'openai/client';
import { openaiClient } from '../openai-chat/openai-client.ts';
import type { Access } from '../wire/access.ts';
import type { Speak } from '../wire/lazy-model.ts';
import type { OpenAICompatibleConfig, ProviderConfig } from '../wire/provider-config.ts';
import { speakOver } from '../wire/speak-over.ts';
import { ResponsesReplyReader } from './from-stream.ts';
import { responsesFormat } from './to-request.ts';

/** Talks to OpenAI responses. */
export function responsesApi(config: OpenAICompatibleConfig, name: string): Speak {
  return speakResponses(config, name, (access) => openaiClient({ ...config, ...access }));
}

/** Talks to responses at the address of a client. */
export function speakResponses(
  config: ProviderConfig,
  name: string,
  clientFor: (access: Access) => Promise<Pick<OpenAI, 'buildRequest'>>,
): Speak {
  return speakOver({
    config,
    name,
    format: responsesFormat(name, config.extraBody),
    async build(access) {
      const client = await clientFor(access);
      const { req, url } = await client.buildRequest({ method: 'post', path: '/responses', body: {} });
      return { url, headers: req.headers };
    },
    reader: (facts) => new ResponsesReplyReader(facts),
  });
}
