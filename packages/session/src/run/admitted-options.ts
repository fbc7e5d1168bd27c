import type { Model, ModelOptions } from '@x/core';
import { admitModelOptions, withModelOptions } from '@x/core/internal';
import type { SessionOptions } from '../options/types.ts';

/** A session's options, and the models that its requests go to. */
interface AskedModels {
  readonly options: SessionOptions;
  readonly model: Model;
  readonly fallback?: Model;
}

/**
 * Refuses options that a model of the session does not take, the fallback included; `asked` are those of a message, over the session's.
 * @throws ValidationError naming option and model
 */
export function admitSessionOptions({ options, model, fallback }: AskedModels, asked?: ModelOptions): void {
  const all = withModelOptions(options.modelOptions, asked);
  admitModelOptions(model, all);
  if (fallback) admitModelOptions(fallback, all);
}
