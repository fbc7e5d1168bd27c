import { chatOptions } from '../openai-chat/chat-options.ts';
import type { OptionFields } from '../wire/option-fields.ts';
import type { AzureOpenAIConfig } from '../wire/provider-config.ts';
import { azureAddress } from './azure-address.ts';

/** The first dated version with `stream_options` and `max_completion_tokens`; earlier ones refuse them. */
const NEW_FIELDS_SINCE = '2024-09-01';

/** True for a dated version of the surface that has only the older fields. */
export function hasOldFields({ baseUrl, apiVersion }: AzureOpenAIConfig): boolean {
  const { version = NEW_FIELDS_SINCE } = azureAddress(baseUrl, apiVersion);
  return version < NEW_FIELDS_SINCE;
}

/** Options of a deployment. */
export function azureOptions(config: AzureOpenAIConfig, name: string): OptionFields {
  return chatOptions(name, { isAzure: true, isOld: hasOldFields(config), extraBody: config.extraBody });
}
