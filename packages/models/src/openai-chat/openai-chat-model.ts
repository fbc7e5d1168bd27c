import type { Model } from '@x/core';
import { checkExtraBody } from '../wire/extra-body.ts';
import { lazyModel } from '../wire/lazy-model.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';
import { chatOptions } from './chat-options.ts';

/** Creates a model of OpenAI chat completions. @throws ValidationError */
export function openaiChatModel(config: OpenAICompatibleConfig, name: string): Model {
  checkExtraBody(config.extraBody, RESERVED_IN_CHAT);
  const load = async () => {
    const { chatApi } = await import('./chat-api.ts');
    return chatApi(config, name);
  };
  return lazyModel(config, name, { options: chatOptions(name, config), load });
}

/** Fields that every request for a chat completion sets itself. */
export const RESERVED_IN_CHAT: readonly string[] = ['model', 'messages', 'stream', 'tools', 'response_format'];
