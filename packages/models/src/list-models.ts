import { availableConfig } from './create-model.ts';
import { errorOfFailure } from './model-error.ts';
import { openaiClient } from './openai-chat/endpoint.ts';
import { apiKeyOf, type ProviderConfig } from './provider-config.ts';

/** A model that a provider offers. */
export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** Tokens that fit into its window. */
  readonly maxTokens?: number;
}

/**
 * The models that a provider offers, as it lists them.
 * @throws ValidationError, AuthenticationError as `createModel`; ModelError when the service does not answer with a list
 */
export async function supportedModels(
  config: ProviderConfig,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ModelInfo[]> {
  const checked = availableConfig(config);
  const apiKey = apiKeyOf(checked);
  const client = await openaiClient(checked, apiKey);
  const models: ModelInfo[] = [];
  try {
    for await (const { id } of client.models.list(signal ? { signal } : {})) {
      models.push({ id, name: id, provider: checked.type });
    }
  } catch (failure) {
    throw errorOfFailure(failure, { provider: checked.type, apiKey }, signal);
  }
  return models;
}
