import type { ModelRequest } from '@x/core';
import { type FinalTool, finalToolFor } from '../wire/final-tool.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';
import { chatModelFacts } from './chat-model-facts.ts';

/** Creates the final tool of a request, for a model that needs one for a given output format. */
export type FinalToolOf = (request: Pick<ModelRequest, 'outputFormat' | 'tools'>) => FinalTool | undefined;

/** True when a model answers in a given format by a final tool: as the host says, else by the model's name. */
export function givesAnswerByTool(model: string, wanted?: OpenAICompatibleConfig['structuredOutput']): boolean {
  return wanted === undefined ? !chatModelFacts(model).hasOutputFormat : wanted === 'tool';
}

/** The final tool of a request to a model that needs one. */
export const finalToolOf: FinalToolOf = ({ outputFormat, tools }) => {
  return outputFormat && finalToolFor(outputFormat, tools);
};
