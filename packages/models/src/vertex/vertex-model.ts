import { type Model, ValidationError } from '@x/core';
import { anthropicOptions } from '../anthropic/anthropic-options.ts';
import { withoutServers } from '../anthropic/mcp-servers.ts';
import { computerVersion } from '../anthropic/model-facts.ts';
import { geminiOptions } from '../gemini/gemini-options.ts';
import { hasComputerUse } from '../gemini/model-traits.ts';
import { checkExtraBody } from '../wire/extra-body.ts';
import { lazyModel } from '../wire/lazy-model.ts';
import type { AnthropicConfig, GeminiConfig } from '../wire/provider-config.ts';
import { VERTEX, type VertexPlace } from './vertex-options.ts';

/** Names become a path, so they must not lead elsewhere. */
const NAME = /^[\w.@-]+$/;
const CLAUDE = /^claude-/;
/** Fields that requests set themselves. */
const OF_ANTHROPIC = ['model', 'messages', 'stream', 'system', 'tools', 'output_format', 'anthropic_version'];
const OF_GEMINI = ['model', 'contents', 'tools', 'systemInstruction', 'system_instruction', 'generation_config'];

/** Creates the model `name` of Vertex AI. @throws ValidationError */
export function vertexModel(place: VertexPlace, name: string): Model {
  if (typeof name !== 'string' || !NAME.test(name) || name.includes('..')) {
    throw new ValidationError(`model is not the name of a model on Vertex AI: ${JSON.stringify(name)}`, 'model');
  }
  const { headers, extraBody, contextWindow, accessToken } = place;
  const common = { apiKey: accessToken, headers, extraBody, contextWindow };
  if (CLAUDE.test(name)) {
    checkExtraBody(extraBody ?? {}, OF_ANTHROPIC);
    const config: AnthropicConfig = { type: 'anthropic', ...common };
    const load = async () => (await import('./vertex-anthropic.ts')).vertexAnthropic(config, place, name);
    const options = withoutServers(anthropicOptions(name, extraBody ?? {}), name);
    const usesComputer = computerVersion(name) === 'computer_toolset_20260801'; // earlier ones are betas
    return { ...lazyModel(config, name, { options, load, usesComputer }), provider: VERTEX };
  }
  checkExtraBody(extraBody ?? {}, OF_GEMINI);
  const config: GeminiConfig = { type: 'gemini', ...common };
  const load = async () => (await import('./vertex-gemini.ts')).vertexGemini(config, place, name);
  const usesComputer = hasComputerUse(name);
  return { ...lazyModel(config, name, { options: geminiOptions(name), load, usesComputer }), provider: VERTEX };
}
