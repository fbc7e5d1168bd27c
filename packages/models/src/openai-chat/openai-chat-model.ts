import type { Model } from '@x/core';
import { checkExtraBody } from '../wire/extra-body.ts';
import { lazyModel } from '../wire/lazy-model.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';

/** Creates a model of OpenAI chat completions. @throws ValidationError */
export function openaiChatModel(config: OpenAICompatibleConfig, name: string): Model {
  checkExtraBody(config.extraBody, RESERVED_IN_CHAT);
  return lazyModel(config, name, async () => {
    const { chatApi } = await import('./chat-api.ts');
    return chatApi(config, name);
  });
}

/** Fields that every request for a chat completion sets itself. */
export const RESERVED_IN_CHAT: readonly string[] = ['model', 'messages', 'stream', 'tools', 'response_format'];
