import { type Model, ValidationError } from '@x/core';
import { checkExtraBody } from '../wire/extra-body.ts';
import { recordOf } from '../wire/json-values.ts';
import { lazyModel } from '../wire/lazy-model.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';

/** What every request says itself. */
const RESERVED = ['model', 'input', 'instructions', 'stream', 'tools'];

/** A model behind OpenAI responses. @throws ValidationError */
export function openaiResponsesModel(config: OpenAICompatibleConfig, name: string): Model {
  const { extraBody } = config;
  checkExtraBody(extraBody, RESERVED);
  // `text` holds more than the form of the answer, such as its verbosity
  if (Object.hasOwn(recordOf(extraBody?.['text']) ?? {}, 'format')) {
    const field = 'provider.extraBody.text.format';
    throw new ValidationError(`${field} cannot be set: every request sets it itself`, field);
  }
  return lazyModel(config, name, async () => {
    const { responsesApi } = await import('./responses-api.ts');
    return responsesApi(config, name);
  });
}
