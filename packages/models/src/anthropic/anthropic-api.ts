import type { Speak } from '../wire/lazy-model.ts';
import type { AnthropicConfig } from '../wire/provider-config.ts';
import { speakOver } from '../wire/speak-over.ts';
import { anthropicClient } from './anthropic-client.ts';
import { AnthropicReplyReader } from './from-stream.ts';
import { mcpHeaders } from './mcp-servers.ts';
import { PausedTurns } from './paused-turns.ts';
import { allowingDrops, bindsThinking } from './preserved-thinking.ts';
import { anthropicFormat } from './to-request.ts';

/** Talks to the messages API; `direct` means Anthropic itself. */
export function anthropicApi(config: AnthropicConfig, name: string, direct: boolean): Speak {
  const { extraBody = {} } = config;
  const paused = new PausedTurns();
  const speak = speakOver({
    config,
    name,
    format: anthropicFormat(name, { extraBody, direct, isPaused: paused.has }),
    async build(access) {
      const client = await anthropicClient({ ...config, ...access });
      const { req, url } = await client.buildRequest({ method: 'post', path: '/v1/messages', body: {} });
      const headers = new Headers(req.headers);
      return { url, headers: direct && bindsThinking(name) ? allowingDrops(headers) : headers };
    },
    headersOf: mcpHeaders,
    reader: (facts) => new AnthropicReplyReader(facts, paused.add),
  });
  return paused.continuing(speak);
}
