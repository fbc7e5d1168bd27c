import type { OpenAICompatibleConfig } from '../provider-config.ts';
import type { ListedModel } from '../wire/listed-model.ts';
import { openaiClient } from './openai-client.ts';

/** The models that a service offers. */
export async function* openaiModels(
  config: OpenAICompatibleConfig,
  apiKey: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedModel, void, void> {
  const client = await openaiClient(config, apiKey);
  for await (const { id } of client.models.list(signal ? { signal } : {})) yield { id, name: id };
}
