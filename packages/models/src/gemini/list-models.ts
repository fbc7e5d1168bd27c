import { errorContextOf, type WithAccess } from '../wire/access.ts';
import { type ListedModel, listFetch } from '../wire/list-fetch.ts';
import type { GeminiConfig } from '../wire/provider-config.ts';
import { geminiClient } from './gemini-client.ts';

/** Gemini's models that answer in text; those for embeddings, images or video alone are left out. */
export async function* geminiModels(
  config: WithAccess<GeminiConfig>,
  signal?: AbortSignal,
): AsyncGenerator<ListedModel, void, void> {
  const send = listFetch({ list: 'models', id: 'name' }, errorContextOf(config.type, config));
  const client = await geminiClient(config, send);
  const models = await client.models.list({ config: { pageSize: 1000, ...(signal ? { abortSignal: signal } : {}) } });
  for await (const { name = '', displayName, inputTokenLimit, supportedActions } of models) {
    const id = name.startsWith('models/') ? name.slice('models/'.length) : name;
    if (id === '' || (supportedActions && !supportedActions.includes('generateContent'))) continue;
    yield { id, name: displayName || id, ...(inputTokenLimit ? { maxTokens: inputTokenLimit } : {}) };
  }
}
