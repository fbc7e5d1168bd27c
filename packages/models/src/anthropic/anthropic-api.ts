import { countOver, only } from '../wire/count-over.ts';
import type { Count, Speak } from '../wire/lazy-model.ts';
import type { AnthropicConfig } from '../wire/provider-config.ts';
import type { ReplyFacts } from '../wire/reply-reader.ts';
import { speakOver, type WireApi } from '../wire/speak-over.ts';
import { anthropicClient } from './anthropic-client.ts';
import { betaHeaders, computerBeta } from './computer.ts';
import { AnthropicReplyReader } from './from-stream.ts';
import { mcpHeaders } from './mcp-servers.ts';
import { PausedTurns } from './paused-turns.ts';
import { allowingDrops, bindsThinking } from './preserved-thinking.ts';
import { type AnthropicFormatOptions, anthropicFormat } from './to-request.ts';

/** Fields of a request that its tokens depend on; the others are refused. */
const COUNTED = [
  'model',
  'messages',
  'system',
  'tools',
  'mcp_servers',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
];

/** Talks to the messages API; `direct` means Anthropic itself. */
export function anthropicApi(config: AnthropicConfig, name: string, direct: boolean): Speak {
  const paused = new PausedTurns();
  const reader = (facts: ReplyFacts) => new AnthropicReplyReader(facts, paused.add);
  return paused.continuing(speakOver({ ...wireParts(config, { name, direct, isPaused: paused.has }), reader }));
}

/** Counts tokens with the messages API. */
export function anthropicCount(config: AnthropicConfig, name: string, direct: boolean): Count {
  return countOver({
    ...wireParts(config, { name, direct }),
    countPath: (path) => path.replace(/\/messages(?=\?|$)/, '/messages/count_tokens'),
    countBody: (body) => only(body, COUNTED),
    field: 'input_tokens',
  });
}

function wireParts(
  config: AnthropicConfig,
  { name, ...how }: AnthropicFormatOptions & { readonly name: string; readonly direct: boolean },
): Pick<WireApi, 'config' | 'name' | 'format' | 'build' | 'headersOf'> {
  const { extraBody = {} } = config;
  return {
    config,
    name,
    format: anthropicFormat(name, { extraBody, ...how }),
    async build(access) {
      const client = await anthropicClient({ ...config, ...access });
      const { req, url } = await client.buildRequest({ method: 'post', path: '/v1/messages', body: {} });
      const headers = new Headers(req.headers);
      return { url, headers: how.direct && bindsThinking(name) ? allowingDrops(headers) : headers };
    },
    headersOf: computerBeta(name) === undefined ? mcpHeaders : betaHeaders(name),
  };
}
