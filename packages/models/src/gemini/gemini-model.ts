import { type Model, ValidationError } from '@x/core';
import { checkExtraBody } from '../wire/extra-body.ts';
import { recordOf } from '../wire/json-values.ts';
import { lazyModel } from '../wire/lazy-model.ts';
import type { GeminiConfig } from '../wire/provider-config.ts';
import { geminiOptions } from './gemini-options.ts';
import { hasComputerUse } from './model-traits.ts';

/** Fields that requests set themselves; the service accepts both spellings. */
const RESERVED = ['model', 'contents', 'tools', 'systemInstruction', 'system_instruction', 'generation_config'];
/** The same inside `generationConfig`. Of several candidates only the first would be read. */
const RESERVED_GENERATION = [
  'generationConfig.responseMimeType',
  'generationConfig.responseSchema',
  'generationConfig.responseJsonSchema',
  'generationConfig.responseFormat',
  'generationConfig.candidateCount',
];
/** Names become a path, so they must not lead elsewhere. */
const NAME = /^[\w.:@/-]+$/;

/** Creates a model of the Gemini API: `gemini-...`, `models/...` or `tunedModels/...`. @throws ValidationError */
export function geminiModel(config: GeminiConfig, name: string): Model {
  if (!NAME.test(name) || name.includes('..')) {
    throw new ValidationError(`model is not the name of a Gemini model: ${JSON.stringify(name)}`, 'model');
  }
  checkExtraBody(config.extraBody, RESERVED);
  const generation = Object.entries(recordOf(config.extraBody?.['generationConfig']) ?? {});
  const named = generation.map(([field, value]) => [`generationConfig.${field}`, value] as const);
  checkExtraBody(Object.fromEntries(named), RESERVED_GENERATION);
  const load = async () => {
    const { geminiApi } = await import('./gemini-api.ts');
    return geminiApi(config, name);
  };
  const loadCount = async () => {
    const { geminiCount } = await import('./gemini-api.ts');
    return geminiCount(config, name);
  };
  return lazyModel(config, name, { options: geminiOptions(name), load, loadCount, usesComputer: hasComputerUse(name) });
}
