import { openaiClient } from '../openai-chat/openai-client.ts';
import type { Speak } from '../wire/lazy-model.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';
import { speakOver } from '../wire/speak-over.ts';
import { ResponsesReplyReader } from './from-stream.ts';
import { responsesFormat } from './to-request.ts';

/** Talks to OpenAI responses. */
export function responsesApi(config: OpenAICompatibleConfig, name: string): Speak {
  return speakOver({
    config,
    name,
    format: responsesFormat(name, config.extraBody),
    async build(access) {
      const client = await openaiClient({ ...config, ...access });
      const { req, url } = await client.buildRequest({ method: 'post', path: '/responses', body: {} });
      return { url, headers: req.headers };
    },
    reader: (facts) => new ResponsesReplyReader(facts),
  });
}
