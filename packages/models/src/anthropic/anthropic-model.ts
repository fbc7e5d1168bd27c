import { type Model, ValidationError } from '@x/core';
import { checkExtraBody } from '../wire/extra-body.ts';
import { recordOf } from '../wire/json-values.ts';
import { lazyModel } from '../wire/lazy-model.ts';
import type { AnthropicConfig } from '../wire/provider-config.ts';
import { anthropicOptions } from './anthropic-options.ts';
import { ANTHROPIC_URL } from './anthropic-url.ts';
import { computerVersion, defersTools } from './model-facts.ts';

/** Fields that requests set themselves. */
const RESERVED = ['model', 'messages', 'stream', 'system', 'tools', 'output_format'];

/** Creates a model of the Anthropic messages API. @throws ValidationError */
export function anthropicModel(config: AnthropicConfig, name: string): Model {
  const { extraBody = {}, baseUrl = ANTHROPIC_URL } = config;
  checkExtraBody(extraBody, RESERVED);
  if (recordOf(extraBody['output_config'])?.['format'] !== undefined) {
    const field = 'provider.extraBody.output_config.format';
    throw new ValidationError(`${field} cannot be set: every request sets it itself`, field);
  }
  const direct = new URL(baseUrl).origin === ANTHROPIC_URL;
  const load = async () => {
    const { anthropicApi } = await import('./anthropic-api.ts');
    return anthropicApi(config, name, direct);
  };
  const loadCount = async () => {
    const { anthropicCount } = await import('./anthropic-api.ts');
    return anthropicCount(config, name, direct);
  };
  const options = anthropicOptions(name, extraBody);
  const usesComputer = computerVersion(name) !== undefined;
  return lazyModel(config, name, { options, load, loadCount, defersTools: defersTools(name), usesComputer });
}
