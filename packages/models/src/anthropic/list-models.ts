import { errorContextOf, type WithAccess } from '../wire/access.ts';
import { type ListedModel, listFetch } from '../wire/list-fetch.ts';
import type { AnthropicConfig } from '../wire/provider-config.ts';
import { anthropicClient } from './anthropic-client.ts';

const PAGE = 1000;

/** The models of the service, page by page. */
export async function* anthropicModels(
  config: WithAccess<AnthropicConfig>,
  signal?: AbortSignal,
): AsyncGenerator<ListedModel, void, void> {
  const send = listFetch({ list: 'data', id: 'id' }, errorContextOf(config.type, config));
  const client = await anthropicClient(config, send);
  const { Models } = await import('@anthropic-ai/sdk/resources/models');
  const list = new Models(client).list({ limit: PAGE }, signal ? { signal } : {});
  for await (const { id, display_name: name, max_input_tokens: maxTokens } of list) {
    // compatible services omit fields that they do not know
    yield { id, name: name || id, ...(typeof maxTokens === 'number' ? { maxTokens } : {}) };
  }
}
