import { type ModelApi, type Reads, readsOf } from '../content/readable.ts';
import { readableMessage } from '../content/unreadable.ts';
import type { ProviderConfig } from './provider-config.ts';
import type { RequestFormat } from './request-format.ts';

/** Says which parts of messages the model `name` of a provider reads, as far as it is known. */
export function modelReads(config: ProviderConfig, name: string): Reads {
  return readsOf(apiOf(config), name);
}

/** The same format for messages in which a text stands for each part that the model does not read. */
export function readableFormat(format: RequestFormat, reads: Reads): RequestFormat {
  return { ...format, messages: (message, roleBefore) => format.messages(readableMessage(message, reads), roleBefore) };
}

function apiOf(config: ProviderConfig): ModelApi {
  if (config.type === 'anthropic' || config.type === 'gemini') return config.type;
  return config.api === 'responses' ? 'responses' : 'chat';
}
