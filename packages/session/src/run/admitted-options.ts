import type { Model, ModelOptions } from '@x/core';
import { admitModelOptions, withModelOptions } from '@x/core/internal';
import type { FallbackModelOptions, PermissionPolicy } from '@x/handlers';
import { admitServiceTools } from '@x/handlers/internal';
import { admitServiceSearch } from '../discovery/session-discovery.ts';
import type { SessionOptions } from '../options/types.ts';

/** A session's options, and the models that its requests go to. */
interface AskedModels {
  readonly options: SessionOptions;
  readonly model: Model;
  readonly fallbacks: readonly FallbackModelOptions[];
  readonly policy: PermissionPolicy;
}

/**
 * Refuses options that a model of the session does not take, fallbacks included, or that a rule denies; `asked` are those of a message, over
 * the session's. @throws ValidationError naming option and model, or rule
 */
export function admitSessionOptions({ options, model, fallbacks, policy }: AskedModels, asked?: ModelOptions): void {
  const all = withModelOptions(options.modelOptions, asked);
  admitModelOptions(model, all);
  for (const fallback of fallbacks) admitModelOptions(fallback.model, all);
  admitServiceTools(all, policy);
  admitServiceSearch(options, [model, ...fallbacks.map((fallback) => fallback.model)], policy);
}
