import type { Speak } from '../wire/lazy-model.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';
import { speakOver } from '../wire/speak-over.ts';
import { chatOptions } from './chat-options.ts';
import { finalToolOf, givesAnswerByTool } from './final-tool.ts';
import { ChatReplyReader } from './from-stream.ts';
import { openaiClient } from './openai-client.ts';
import { chatFormat } from './to-request.ts';
import { isOpenRouter } from './told-cost.ts';

/** Talks to OpenAI chat completions. */
export function chatApi(config: OpenAICompatibleConfig, name: string): Speak {
  const finalTool = givesAnswerByTool(name, config.structuredOutput) ? finalToolOf : undefined;
  const tellsCost = isOpenRouter(config.baseUrl);
  return speakOver({
    config,
    name,
    format: chatFormat(name, config.extraBody, {
      finalToolOf: finalTool,
      fieldsOf: chatOptions(name, config).fieldsOf,
    }),
    async build(access) {
      const client = await openaiClient({ ...config, ...access });
      const { req, url } = await client.buildRequest({ method: 'post', path: '/chat/completions', body: {} });
      return { url, headers: req.headers };
    },
    reader: (facts) => new ChatReplyReader(facts, finalTool?.(facts.request), tellsCost),
    takesJson: true,
  });
}
