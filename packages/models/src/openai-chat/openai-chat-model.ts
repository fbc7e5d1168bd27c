import type { Model } from '@x/core';
import type { OpenAICompatibleConfig } from '../provider-config.ts';
import { checkExtraBody } from '../wire/extra-body.ts';
import { wireModel } from '../wire/wire-model.ts';
import { ChatReplyReader } from './from-stream.ts';
import { openaiClient } from './openai-client.ts';
import { chatFormat } from './to-request.ts';

/** What every request says itself. */
const RESERVED = ['model', 'messages', 'stream', 'tools', 'response_format'];

/** A model behind OpenAI chat completions. @throws ValidationError */
export function openaiChatModel(config: OpenAICompatibleConfig, name: string): Model {
  checkExtraBody(config.extraBody, RESERVED);
  return wireModel({
    config,
    name,
    format: chatFormat(name, config.extraBody),
    async build(apiKey) {
      const client = await openaiClient(config, apiKey);
      const { req, url } = await client.buildRequest({ method: 'post', path: '/chat/completions', body: {} });
      return { url, headers: req.headers };
    },
    reader: (facts) => new ChatReplyReader(facts),
  });
}
