import type { ModelOptions } from '@x/core';
import { admitModelOptions, withModelOptions } from '@x/core/internal';
import type { Settings } from './assemble.ts';

/**
 * Refuses options that a model of the session does not take, the fallback included; `asked` are those of a message, over the session's.
 * @throws ValidationError naming option and model
 */
export function admitSessionOptions(
  { options, model, fallback }: Pick<Settings, 'options' | 'model' | 'fallback'>,
  asked?: ModelOptions,
): void {
  const all = withModelOptions(options.modelOptions, asked);
  admitModelOptions(model, all);
  if (fallback) admitModelOptions(fallback, all);
}
