import { GeminiReplyReader } from '../gemini/from-stream.ts';
import { geminiFormat } from '../gemini/to-request.ts';
import type { Speak } from '../wire/lazy-model.ts';
import type { GeminiConfig } from '../wire/provider-config.ts';
import { speakOver } from '../wire/speak-over.ts';
import { vertexRequest } from './vertex-address.ts';
import { VERTEX, type VertexPlace } from './vertex-options.ts';

/** Talks to a Gemini model on Vertex AI. */
export function vertexGemini(config: GeminiConfig, place: VertexPlace, name: string): Speak {
  return speakOver({
    config,
    name,
    provider: VERTEX,
    format: geminiFormat(name, config.extraBody),
    build: async (access) =>
      vertexRequest(place, { publisher: 'google', model: name, method: 'streamGenerateContent?alt=sse' }, access),
    reader: (facts) => new GeminiReplyReader(facts),
  });
}
