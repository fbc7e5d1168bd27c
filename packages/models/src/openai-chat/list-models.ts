import { errorContextOf, type WithAccess } from '../wire/access.ts';
import { type ListedModel, listFetch } from '../wire/list-fetch.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';
import { openaiClient } from './openai-client.ts';

/** The models that a service offers. */
export async function* openaiModels(
  config: WithAccess<OpenAICompatibleConfig>,
  signal?: AbortSignal,
): AsyncGenerator<ListedModel, void, void> {
  const client = await openaiClient(config, listFetch({ list: 'data', id: 'id' }, errorContextOf(config.type, config)));
  for await (const { id } of client.models.list(signal ? { signal } : {})) yield { id, name: id };
}
