import { type Model, ValidationError } from '@x/core';
import { defersTools, usesComputer } from '../openai-chat/openai-facts.ts';
import { checkExtraBody } from '../wire/extra-body.ts';
import { recordOf } from '../wire/json-values.ts';
import { type Count, lazyModel, type Speak } from '../wire/lazy-model.ts';
import type { OpenAICompatibleConfig, ProviderConfig } from '../wire/provider-config.ts';
import { responsesOptions } from './responses-options.ts';

/** Fields that requests set themselves. */
const RESERVED = ['model', 'input', 'instructions', 'stream', 'tools'];

/** Creates a model of OpenAI responses. @throws ValidationError */
export function openaiResponsesModel(config: OpenAICompatibleConfig, name: string): Model {
  const load = async () => {
    const { responsesApi } = await import('./responses-api.ts');
    return responsesApi(config, name);
  };
  return responsesModel(config, name, load, async () => {
    const { responsesCount } = await import('./responses-api.ts');
    return responsesCount(config, name);
  });
}

/** A model of responses at any address; `loadCount` where it counts tokens. @throws ValidationError */
export function responsesModel(
  config: ProviderConfig,
  name: string,
  load: () => Promise<Speak>,
  loadCount?: () => Promise<Count>,
): Model {
  const { extraBody } = config;
  checkExtraBody(extraBody, RESERVED);
  // `text` has other fields than the output format, such as its verbosity
  if (Object.hasOwn(recordOf(extraBody?.['text']) ?? {}, 'format')) {
    const field = 'provider.extraBody.text.format';
    throw new ValidationError(`${field} cannot be set: every request sets it itself`, field);
  }
  const has = { defersTools: defersTools(name), usesComputer: usesComputer(name, config.type) };
  return lazyModel(config, name, { options: responsesOptions(name), load, loadCount, ...has });
}
