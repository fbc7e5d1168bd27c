import type { Model, ModelOptions } from '@x/core';
import { admitModelOptions, withModelOptions } from '@x/core/internal';
import type { PermissionPolicy } from '@x/handlers';
import { admitServiceTools } from '@x/handlers/internal';
import type { SessionOptions } from '../options/types.ts';

/** A session's options, and the models that its requests go to. */
interface AskedModels {
  readonly options: SessionOptions;
  readonly model: Model;
  readonly fallback?: Model;
  readonly policy: PermissionPolicy;
}

/**
 * Refuses options that a model of the session does not take, the fallback included, or that a rule denies; `asked` are those of a message, over the session's.
 * @throws ValidationError naming option and model
 */
export function admitSessionOptions({ options, model, fallback, policy }: AskedModels, asked?: ModelOptions): void {
  const all = withModelOptions(options.modelOptions, asked);
  admitModelOptions(model, all);
  if (fallback) admitModelOptions(fallback, all);
  admitServiceTools(all, policy);
}
