import type { ModelRequest } from '@x/core';
import { type FinalTool, finalToolFor } from '../wire/final-tool.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';

/** Creates the final tool of a request, for a model that needs one for a given output format. */
export type FinalToolOf = (request: Pick<ModelRequest, 'outputFormat' | 'tools'>) => FinalTool | undefined;

/** Models that refuse `json_schema`, or accept and ignore it (platform.openai.com and api-docs.deepseek.com). */
const WITHOUT_FORMAT = /^(?:gpt-3\.5|gpt-4(?:-|$)|deepseek-(?:chat|reasoner))/;
/** Models that call tools, and refuse a forced call. */
const NOT_FORCED = /^deepseek-reasoner/;

/** True when a model answers in a given format by a final tool: as the host says, else by the model's name. */
export function givesAnswerByTool(model: string, wanted?: OpenAICompatibleConfig['structuredOutput']): boolean {
  return wanted === undefined ? WITHOUT_FORMAT.test(bareName(model)) : wanted === 'tool';
}

/** True when a model may be forced to call a tool. */
export function canBeForced(model: string): boolean {
  return !NOT_FORCED.test(bareName(model));
}

/** The final tool of a request to a model that needs one. */
export const finalToolOf: FinalToolOf = ({ outputFormat, tools }) => {
  return outputFormat && finalToolFor(outputFormat, tools);
};

/** Removes the `vendor/` of a router, and the `ft:` of a tuned model. */
function bareName(model: string): string {
  return model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/^ft:/, '')
    .toLowerCase();
}
