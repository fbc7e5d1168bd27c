import { type Model, ValidationError } from '@x/core';
import { checkJsonValue } from '@x/core/internal';
import { isObject } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { aiSdkModel } from './ai-sdk-model.ts';
import { type AiSdkModel, type AiSdkProvider, VERSIONS } from './specification.ts';
import type { FromAiSdkOptions } from './spoken-model.ts';

/** A provider for sessions, of the kind `custom`. */
export interface AiSdkSessionProvider {
  readonly type: 'custom';
  /** @throws ValidationError for the name of another model, and for a version of the AI SDK that is not spoken */
  createModel(name: string): Model;
}

const RULES: OptionRules<FromAiSdkOptions> = {
  providerOptions: is.checked(checkProviderOptions),
  contextWindow: is.rule('a whole number from 1', (value) => Number.isSafeInteger(value) && Number(value) > 0),
  apiKey: is.secret(is.filledText),
};

/**
 * Makes a provider for sessions out of a language model of the AI SDK, or out of a provider of it, which has models by name. Nothing is
 * sent before the first reply. Close what the AI SDK has opened yourself: it opens nothing that must be closed.
 * @throws ValidationError for what is no such model, and for an unknown option
 */
export function fromAiSdk(source: AiSdkModel | AiSdkProvider, options: FromAiSdkOptions = {}): AiSdkSessionProvider {
  checkOptions('fromAiSdk options', options, RULES);
  const own = structuredClone(options);
  if (isModel(source)) checkModel(source);
  else if (!isProvider(source)) {
    const field = 'fromAiSdk';
    throw new ValidationError(
      `${field} needs a language model of the AI SDK, such as openai('gpt-5'), or a provider, such as openai`,
      field,
    );
  }
  return {
    type: 'custom',
    createModel: (name) => aiSdkModel(isModel(source) ? named(source, name) : modelOf(source, name), own),
  };
}

function isModel(source: unknown): source is AiSdkModel {
  return isObject(source) && 'doStream' in source && typeof source.doStream === 'function';
}

/** Providers are functions with methods, registries are objects. */
function isProvider(source: unknown): source is AiSdkProvider {
  return (
    (isObject(source) || typeof source === 'function') &&
    'languageModel' in source &&
    typeof source.languageModel === 'function'
  );
}

function checkProviderOptions(providerOptions: unknown, path: string): void {
  checkValue(
    path,
    providerOptions,
    is.secret(is.recordOf(is.secret(is.recordOf(is.anything)), 'an object of objects')),
  );
  checkJsonValue({ [path]: providerOptions }, 'the options of fromAiSdk');
}

/** The one model there is, which a session may not call by another name: its replies carry it. */
function named(model: AiSdkModel, name: string): AiSdkModel {
  if (name === model.modelId) return model;
  const message = `model must be ${model.modelId}, that of the language model given to fromAiSdk; give it the provider for models by name`;
  throw new ValidationError(message, 'model');
}

function modelOf(provider: AiSdkProvider, name: string): AiSdkModel {
  checkValue('model', name, is.required(is.words, 'the name of a model'));
  const model = provider.languageModel(name as never); // safe: providers take names
  checkModel(model);
  return model;
}

/** @throws ValidationError that says what to install */
function checkModel({ specificationVersion, modelId }: AiSdkModel): void {
  if (!(VERSIONS as readonly string[]).includes(specificationVersion)) {
    throw new ValidationError(
      `fromAiSdk speaks the versions ${VERSIONS.join(', ')} of the AI SDK's language models, not ${String(specificationVersion)}; install a package of the model's provider for AI SDK 5, 6 or 7, such as @ai-sdk/openai@4`,
      'fromAiSdk',
    );
  }
  checkValue('modelId', modelId, is.required(is.words));
}
