import type { ModelOptions } from '@x/core';
import { checkOpenAIOptions, isOpenAIModel, openaiCache, openaiTier, reasons } from '../openai-chat/openai-facts.ts';
import { type Fields, fieldsFor, type OptionFields, refusedOption } from '../wire/option-fields.ts';
import { wireServiceTool } from './service-tools.ts';

const PLACES: OptionFields['places'] = {
  maxOutputTokens: ['max_output_tokens'],
  temperature: ['temperature'],
  topP: ['top_p'],
  stopSequences: [],
  seed: [],
  reasoning: ['reasoning.effort'],
  toolChoice: ['tool_choice'],
  parallelToolCalls: ['parallel_tool_calls'],
  serviceTier: ['service_tier'],
  logprobs: ['top_logprobs'],
  cache: ['prompt_cache_retention', 'prompt_cache_options'],
  serviceTools: ['tools'],
};

/** Options of the model in the words of responses. */
export function responsesOptions(model: string): OptionFields {
  return { places: PLACES, fieldsOf: (options) => responsesFields(options, model) };
}

function responsesFields(options: ModelOptions, model: string): Fields {
  const lacking = (option: string): never => {
    throw refusedOption(option, model, "the responses API has no such field; leave it out, or use api: 'chat'");
  };
  const fields = fieldsFor(options, {
    maxOutputTokens: (max_output_tokens) => ({ max_output_tokens }),
    temperature: (temperature) => ({ temperature }),
    topP: (top_p) => ({ top_p }),
    stopSequences: () => lacking('stopSequences'),
    seed: () => lacking('seed'),
    reasoning: (reasoning) => reasoningField(reasoning, model),
    toolChoice: (choice) => ({
      tool_choice: typeof choice === 'string' ? choice : { type: 'function', name: choice.tool },
    }),
    parallelToolCalls: (parallel_tool_calls) => ({ parallel_tool_calls }),
    serviceTier: (tier) => ({ service_tier: openaiTier(tier) }),
    logprobs: (top) => (top === true ? {} : { top_logprobs: top }), // `include` asks for them
    cache: openaiCache,
    serviceTools: (tools) => {
      for (const tool of tools) wireServiceTool(tool, model); // as a check: they are among the tools of a request
      return {};
    },
  });
  if (isOpenAIModel(model)) checkOpenAIOptions(options, model);
  return fields;
}

function reasoningField(reasoning: NonNullable<ModelOptions['reasoning']>, model: string): Fields {
  if (reasoning === 'off') return isOpenAIModel(model) && !reasons(model) ? {} : { reasoning: { effort: 'none' } };
  if ('effort' in reasoning) return { reasoning };
  throw refusedOption('reasoning', model, 'the responses API has no budget for thinking; use { effort }');
}
