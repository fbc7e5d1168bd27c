import type { OpenAI } from 'openai/client';
import { openaiClient } from '../openai-chat/openai-client.ts';
import { usesComputer } from '../openai-chat/openai-facts.ts';
import type { Access } from '../wire/access.ts';
import { countOver, only } from '../wire/count-over.ts';
import type { Count, Speak } from '../wire/lazy-model.ts';
import type { OpenAICompatibleConfig, ProviderConfig } from '../wire/provider-config.ts';
import { speakOver, type WireApi } from '../wire/speak-over.ts';
import { ResponsesReplyReader } from './from-stream.ts';
import { responsesFormat } from './to-request.ts';

/** Fields of a request that its tokens depend on; the others are refused. */
const COUNTED = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'truncation',
  'conversation',
  'previous_response_id',
];

/** Talks to OpenAI responses. */
export function responsesApi(config: OpenAICompatibleConfig, name: string): Speak {
  return speakResponses(config, name, (access) => openaiClient({ ...config, ...access }));
}

/** Counts tokens with OpenAI responses. */
export function responsesCount(config: OpenAICompatibleConfig, name: string): Count {
  return countOver({
    ...wireParts(config, name, (access) => openaiClient({ ...config, ...access })),
    countPath: (path) => path.replace(/\/responses(?=\?|$)/, '/responses/input_tokens'),
    countBody: (body) => only(body, COUNTED),
    field: 'input_tokens',
  });
}

/** Talks to responses at the address of a client. */
export function speakResponses(config: ProviderConfig, name: string, clientFor: ClientFor): Speak {
  return speakOver({ ...wireParts(config, name, clientFor), reader: (facts) => new ResponsesReplyReader(facts) });
}

type ClientFor = (access: Access) => Promise<Pick<OpenAI, 'buildRequest'>>;

function wireParts(
  config: ProviderConfig,
  name: string,
  clientFor: ClientFor,
): Pick<WireApi, 'config' | 'name' | 'format' | 'build'> {
  return {
    config,
    name,
    format: responsesFormat(name, config.extraBody, usesComputer(name, config.type)),
    async build(access) {
      const client = await clientFor(access);
      const { req, url } = await client.buildRequest({ method: 'post', path: '/responses', body: {} });
      return { url, headers: req.headers };
    },
  };
}
