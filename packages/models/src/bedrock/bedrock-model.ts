import { type Model, ValidationError } from '@x/core';
import { admitRequest } from '@x/core/internal';
import { anthropicOptions } from '../anthropic/anthropic-options.ts';
import { withoutServers } from '../anthropic/mcp-servers.ts';
import { readsOf } from '../content/readable.ts';
import { contextWindowOf } from '../wire/context-window.ts';
import { checkExtraBody } from '../wire/extra-body.ts';
import type { Speak } from '../wire/lazy-model.ts';
import { checkOptionFields } from '../wire/option-fields.ts';
import { BEDROCK, type BedrockOptions } from './bedrock-options.ts';
import type { OpenClient } from './client-for.ts';
import { converseOptions } from './converse-options.ts';

/** Fields that requests set themselves. */
const OF_ANTHROPIC = ['model', 'messages', 'stream', 'system', 'tools', 'output_format', 'anthropic_version'];
const OF_CONVERSE = ['modelId', 'messages', 'system'];
/** Ids, profiles (`eu.anthropic.claude-...`) and ARNs. */
const CLAUDE = /(?:^|[./])anthropic\.claude/;

/** Creates the model `name` of Bedrock, spoken to over the client that `open` gives. @throws ValidationError */
export function bedrockModel(given: BedrockOptions, name: string, open: () => Promise<OpenClient>): Model {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new ValidationError('model must be the id of a model on Bedrock, of a profile, or its ARN', 'model');
  }
  const { api = CLAUDE.test(name) ? 'anthropic' : 'converse', extraBody = {}, contextWindow } = given;
  checkExtraBody(extraBody, api === 'anthropic' ? OF_ANTHROPIC : OF_CONVERSE);
  const options = api === 'anthropic' ? withoutServers(anthropicOptions(name, extraBody), name) : converseOptions(name);
  const load = async () => {
    const { speakBedrock } = await import('./speak-bedrock.ts');
    return speakBedrock({ api, name, extraBody, open });
  };
  let speak: Speak | undefined;
  async function* first(request: Parameters<Speak>[0]): ReturnType<Speak> {
    speak ??= await load();
    return yield* speak(request);
  }
  const model: Model = {
    provider: BEDROCK,
    name,
    contextWindow: contextWindow ?? contextWindowOf(name),
    reads: readsOf(api, name),
    checkOptions: (asked) => checkOptionFields(asked, options, extraBody),
    stream(request) {
      admitRequest(model, request);
      return (speak ?? first)(request);
    },
  };
  return model;
}
