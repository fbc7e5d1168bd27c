import { AnthropicReplyReader } from '../anthropic/from-stream.ts';
import { PausedTurns } from '../anthropic/paused-turns.ts';
import { anthropicFormat } from '../anthropic/to-request.ts';
import type { Speak } from '../wire/lazy-model.ts';
import type { AnthropicConfig } from '../wire/provider-config.ts';
import { speakOver } from '../wire/speak-over.ts';
import { vertexRequest } from './vertex-address.ts';
import { VERTEX, type VertexPlace } from './vertex-options.ts';

/** The version of the messages API on Vertex AI (platform.claude.com, "Claude on Vertex AI"). */
const VERSION = { anthropic_version: 'vertex-2023-10-16', stream: true };

/** Talks to a model of Anthropic on Vertex AI. */
export function vertexAnthropic(config: AnthropicConfig, place: VertexPlace, name: string): Speak {
  const paused = new PausedTurns();
  const speak = speakOver({
    config,
    name,
    provider: VERTEX,
    format: anthropicFormat(name, { extraBody: config.extraBody ?? {}, instead: VERSION, isPaused: paused.has }),
    build: async (access) =>
      vertexRequest(place, { publisher: 'anthropic', model: name, method: 'streamRawPredict' }, access),
    reader: (facts) => new AnthropicReplyReader(facts, paused.add),
  });
  return paused.continuing(speak);
}
