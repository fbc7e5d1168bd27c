import type { Model, ModelRequest } from './model.ts';

const asked = new WeakMap<ModelRequest, Model>();

/** Says which model has a request that was given to several: a call that is cut off has no reply to name it. */
export function markAsked(request: ModelRequest, model: Model): void {
  asked.set(request, model);
}

/** The model that has the request, if `markAsked` has named one. */
export function askedModel(request: ModelRequest): Model | undefined {
  return asked.get(request);
}
