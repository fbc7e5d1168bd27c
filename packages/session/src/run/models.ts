import { type Model, ValidationError } from '@x/core';
import { createModel, type ProviderConfig } from '@x/models';
import type { CustomProvider, SessionOptions } from '../options/types.ts';

/** Models are stateless: sessions with the same provider object share them, and with them the client and its connections. */
const shared = new WeakMap<ProviderConfig, Map<string, KnownModel>>();

/** A model, and what of its provider may be a function: no text says which. */
interface KnownModel extends Pick<ProviderConfig, 'apiKey' | 'headers'> {
  readonly model: Model;
}

/** @throws ValidationError, AuthenticationError */
export function modelOf(provider: ProviderConfig | CustomProvider, name: string): Model {
  if (provider.type === 'custom') return checked(provider.createModel(name));
  const models = shared.get(provider) ?? new Map<string, KnownModel>();
  shared.set(provider, models);
  // A provider object that was changed since is another provider.
  const key = JSON.stringify([name, provider]);
  const { apiKey, headers } = provider;
  const known = models.get(key);
  if (known && known.apiKey === apiKey && known.headers === headers) return known.model;
  const model = createModel(provider, name);
  models.set(key, { model, apiKey, headers });
  return model;
}

/** The model that takes over when the session's own fails. @throws ValidationError, AuthenticationError */
export function fallbackOf({ provider, fallbackModel }: SessionOptions): Model | undefined {
  if (fallbackModel === undefined) return undefined;
  if (typeof fallbackModel === 'string') return modelOf(provider, fallbackModel);
  try {
    return modelOf(fallbackModel.provider, fallbackModel.model);
  } catch (error) {
    if (!(error instanceof ValidationError) || !error.field?.startsWith('provider')) throw error;
    throw new ValidationError(`fallbackModel.${error.message}`, `fallbackModel.${error.field}`, error.details);
  }
}

function checked(model: Model): Model {
  if (typeof model?.stream === 'function') return model;
  throw new ValidationError('createModel must return a model, which has a method stream', 'provider');
}
