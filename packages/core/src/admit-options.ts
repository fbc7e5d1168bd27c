import { ValidationError } from '@x/errors';
import { checkValue } from '@x/errors/option-rules';
import type { Model, ModelRequest } from './model.ts';
import { MODEL_OPTIONS, type ModelOptions } from './model-options.ts';
import type { Tool } from './tool.ts';

/** Refuses options that a model does not take, and all of them for a model that cannot say. @throws ValidationError naming the option */
export function admitModelOptions(model: Model, options: ModelOptions = {}): void {
  checkValue('modelOptions', options, MODEL_OPTIONS);
  const [first] = Object.keys(options);
  if (first === undefined) return;
  if (typeof model.checkOptions === 'function') return model.checkOptions(options);
  const field = `modelOptions.${first}`;
  const message = `${field} is not taken by ${model.name}: this model has no checkOptions; give it one, or leave the option out`;
  throw new ValidationError(message, field, { model: model.name });
}

/** Refuses a tool of computer use for a model whose service has none. @throws ValidationError naming tool and model */
export function admitComputer(model: Model, tools: readonly Tool[]): void {
  const tool = model.usesComputer ? undefined : tools.find(({ computer }) => computer);
  if (tool) throw refusedComputer(tool.name, model.name);
}

/** The refusal of a tool of computer use, wherever it is found out. */
export function refusedComputer(tool: string, model: string): ValidationError {
  const message = `the tool ${tool} is not taken by ${model}: it has no computer use here; leave the tool out, or choose a model that has`;
  return new ValidationError(message, 'tools', { model });
}

/** `admitModelOptions` for one request, whose tools the choice of a tool must be among. @throws ValidationError */
export function admitRequest(
  model: Model,
  { options, tools, deferredTools }: Pick<ModelRequest, 'options' | 'tools' | 'deferredTools'>,
): void {
  if (deferredTools && !model.defersTools) {
    const message = `deferredTools are not taken by ${model.name}: its service has no search of tools; give them as tools`;
    throw new ValidationError(message, 'deferredTools', { model: model.name });
  }
  if (options === undefined) return;
  admitModelOptions(model, options);
  const { toolChoice } = options;
  const named = typeof toolChoice === 'object' ? toolChoice.tool : undefined;
  const chosen = named === undefined ? undefined : tools.find(({ name }) => name === named);
  if (chosen?.computer) {
    const message = `modelOptions.toolChoice cannot ask ${model.name} for ${chosen.name}: its service names the calls of computer use itself`;
    throw new ValidationError(message, 'modelOptions.toolChoice', { model: model.name });
  }
  const isOffered = named === undefined ? tools.length > 0 : chosen !== undefined;
  if (isOffered || (named === undefined && toolChoice !== 'required')) return;
  const message = `modelOptions.toolChoice asks ${model.name} for ${named ?? 'a tool'}, which is not offered in this request`;
  throw new ValidationError(message, 'modelOptions.toolChoice', { model: model.name });
}
