import { errorContextOf, type WithAccess } from '../wire/access.ts';
import { type ListedModel, listFetch } from '../wire/list-fetch.ts';
import type { AzureOpenAIConfig } from '../wire/provider-config.ts';
import { azureClient } from './azure-client.ts';

/** The models that a resource may deploy, and those tuned on it; this API does not list its deployments. */
export async function* azureModels(
  config: WithAccess<AzureOpenAIConfig>,
  signal?: AbortSignal,
): AsyncGenerator<ListedModel, void, void> {
  const send = listFetch({ list: 'data', id: 'id' }, errorContextOf(config.type, config));
  const client = await azureClient(config, { send });
  for await (const { id } of client.models.list(signal ? { signal } : {})) yield { id, name: id };
}
