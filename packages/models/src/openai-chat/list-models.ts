import { type ListedModel, listFetch } from '../wire/list-fetch.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';
import { openaiClient } from './openai-client.ts';

/** The models that a service offers. */
export async function* openaiModels(
  config: OpenAICompatibleConfig,
  apiKey: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedModel, void, void> {
  const client = await openaiClient(
    config,
    apiKey,
    listFetch({ list: 'data', id: 'id' }, { provider: config.type, apiKey }),
  );
  for await (const { id } of client.models.list(signal ? { signal } : {})) yield { id, name: id };
}
