import { type Model, ValidationError } from '@x/core';
import { present } from '@x/core/internal';
import type { FallbackModelOptions } from '@x/handlers';
import { createModel, type ProviderConfig } from '@x/models';
import { isDeepEqual } from '../host/deep-equal.ts';
import type { CustomProvider, FallbackModel } from '../options/session-models.ts';
import type { SessionOptions } from '../options/types.ts';
import { checkedModel } from './checked-model.ts';

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

/** The models that take over when the session's own fails, in order. @throws ValidationError, AuthenticationError */
export function fallbacksOf({
  provider,
  model: own,
  fallbackModel = [],
}: SessionOptions): readonly FallbackModelOptions[] {
  const isList = Array.isArray(fallbackModel);
  const list: readonly (string | FallbackModel)[] = isList ? fallbackModel : [fallbackModel];
  const all = list.map((one) => ({ provider, ...(typeof one === 'string' ? { model: one } : present(one)) }));
  return all.map((one, index) => {
    const path = `fallbackModel${isList ? `[${index}]` : ''}`;
    const isSame = (other: Required<Pick<FallbackModel, 'provider' | 'model'>>) =>
      other.model === one.model && isDeepEqual(other.provider, one.provider);
    if ([{ provider, model: own }, ...all.slice(0, index)].some(isSame)) {
      const why = "which is the session's own, or in the list before; take it out";
      throw new ValidationError(`${path} is ${one.model}, ${why}`, `${path}.model`);
    }
    return { model: fallbackAt(path, one), ...present({ on: one.on }) };
  });
}

function fallbackAt(path: string, { provider, model }: Required<Omit<FallbackModel, 'on'>>): Model {
  try {
    return modelOf(provider, model);
  } catch (error) {
    if (!(error instanceof ValidationError) || !error.field?.startsWith('provider')) throw error;
    throw new ValidationError(`${path}.${error.message}`, `${path}.${error.field}`, error.details);
  }
}

function checked(model: Model): Model {
  if (typeof model?.stream === 'function') return checkedModel(model);
  throw new ValidationError('createModel must return a model, which has a method stream', 'provider');
}
