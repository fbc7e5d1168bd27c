import { type Model, ValidationError } from '@x/core';
import { checkJsonValue } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { bedrockModel } from './bedrock-model.ts';
import type { BedrockOptions } from './bedrock-options.ts';
import { clientFor } from './client-for.ts';

/** A provider for sessions, of the kind `custom`. */
export interface BedrockProvider {
  readonly type: 'custom';
  /** @throws ValidationError for a name or a field that is not taken */
  createModel(name: string): Model;
}

const RULES: OptionRules<BedrockOptions> = {
  region: is.rule('a region such as eu-west-1', (value) => typeof value === 'string' && /^[a-z0-9-]+$/.test(value)),
  client: is.having('a BedrockRuntimeClient', 'send'),
  api: is.oneOf('anthropic', 'converse'),
  extraBody: is.checked((value, path) => {
    checkValue(path, value, is.secret(is.recordOf(is.anything)));
    checkJsonValue({ [path]: value }, 'the options of bedrock');
  }),
  contextWindow: is.rule('a whole number from 1', (value) => Number.isSafeInteger(value) && Number(value) > 0),
};

/**
 * Makes a provider for sessions of the models on Amazon Bedrock, by the id of a model, an inference profile or its ARN. The official client
 * `@aws-sdk/client-bedrock-runtime`, an optional peer, is loaded with the first reply; its idle connections do not keep a process alive.
 * @throws ValidationError for an unknown or invalid option
 */
export function bedrock(options: BedrockOptions = {}): BedrockProvider {
  checkOptions('bedrock options', options, RULES);
  const { client, region, ...plain } = options;
  if (client && region !== undefined) {
    throw new ValidationError('region is that of the client; leave out one of them', 'region');
  }
  const own = structuredClone(plain);
  const open = clientFor(client, region);
  return { type: 'custom', createModel: (name) => bedrockModel(own, name, open) };
}
