import type { ModelOptions } from '@x/core';
import { recordOf } from '../wire/json-values.ts';
import { type Fields, fieldsFor, type OptionFields, refusedOption } from '../wire/option-fields.ts';
import { mcpServers } from './mcp-servers.ts';
import { type ThinkingFacts, takesSampling, thinkingFacts, versionOf } from './model-facts.ts';
import { wireServiceTool } from './service-tools.ts';

const PLACES: OptionFields['places'] = {
  maxOutputTokens: ['max_tokens'],
  temperature: ['temperature'],
  topP: ['top_p'],
  stopSequences: ['stop_sequences'],
  seed: [],
  reasoning: ['thinking', 'output_config.effort'],
  toolChoice: ['tool_choice'],
  parallelToolCalls: ['tool_choice'],
  serviceTier: ['service_tier'],
  logprobs: [],
  cache: ['cache_control'],
  serviceTools: ['tools', 'mcp_servers'],
};
const LEAST_BUDGET = 1_024;
/** The least `top_p` of a request with thinking. */
const LEAST_TOP_P = 0.95;
/** From here on a request has either `temperature` or `top_p`. */
const ONE_OF_BOTH = 401;

/** Options of the model in the words of the messages API (platform.claude.com, "Messages", "Thinking", "Effort", "Prompt caching"). */
export function anthropicOptions(model: string, extraBody: Fields = {}): OptionFields {
  return { places: PLACES, fieldsOf: (options) => anthropicFields(options, model, extraBody) };
}

function anthropicFields(options: ModelOptions, model: string, extraBody: Fields): Fields {
  checkSampling(options, model, extraBody);
  const { parallelToolCalls, toolChoice } = options;
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  if (isForced && isThinking(options, extraBody)) {
    throw refusedOption('toolChoice', model, 'it refuses a forced call with thinking; leave one of them out');
  }
  return fieldsFor(options, {
    maxOutputTokens: (max_tokens) => ({ max_tokens }),
    temperature: (temperature) => ({ temperature }),
    topP: (top_p) => ({ top_p }),
    stopSequences: (stop_sequences) => ({ stop_sequences }),
    seed: () => {
      throw refusedOption('seed', model, 'the messages API has no such field; leave it out');
    },
    reasoning: (reasoning) => reasoningFields(reasoning, model, options.maxOutputTokens ?? extraBody['max_tokens']),
    toolChoice: (choice) => ({ tool_choice: choiceField(choice, parallelToolCalls) }),
    // a type is added where there is none
    parallelToolCalls: (parallel) =>
      toolChoice === undefined ? { tool_choice: { disable_parallel_tool_use: !parallel } } : {},
    serviceTier: (tier) => {
      if (tier === 'auto') return { service_tier: 'auto' };
      if (tier === 'standard') return { service_tier: 'standard_only' };
      throw refusedOption('serviceTier', model, 'its tiers are auto and standard');
    },
    logprobs: () => {
      throw refusedOption('logprobs', model, 'the messages API has no such field; leave it out');
    },
    cache: ({ ttl }) => {
      if (ttl === '5m' || ttl === '1h') return { cache_control: { type: 'ephemeral', ttl } };
      throw refusedOption('cache', model, 'its ttl is 5m or 1h');
    },
    serviceTools: (tools) => {
      for (const tool of tools) wireServiceTool(tool, model); // as a check: they are among the tools of a request
      return mcpServers(tools);
    },
  });
}

function choiceField(choice: NonNullable<ModelOptions['toolChoice']>, parallel: boolean | undefined): Fields {
  if (choice === 'none') return { type: 'none' }; // there are no calls then, side by side or not
  const disabled = parallel === undefined ? {} : { disable_parallel_tool_use: !parallel };
  if (typeof choice === 'object') return { type: 'tool', name: choice.tool, ...disabled };
  return { type: choice === 'required' ? 'any' : 'auto', ...disabled };
}

function checkSampling(options: ModelOptions, model: string, extraBody: Fields): void {
  const { temperature, topP, stopSequences } = options;
  const thinks = isThinking(options, extraBody);
  for (const option of ['temperature', 'topP'] as const) {
    if (options[option] === undefined || takesSampling(model)) continue;
    throw refusedOption(option, model, 'from Claude 4.7 on there is no such option; use reasoning: { effort }');
  }
  if (temperature !== undefined && temperature > 1) throw refusedOption('temperature', model, 'it must be 0 to 1');
  if (temperature !== undefined && thinks) {
    throw refusedOption('temperature', model, 'it is not possible with thinking; leave one of them out');
  }
  if (topP !== undefined && thinks && topP < LEAST_TOP_P) {
    throw refusedOption('topP', model, `with thinking it must be at least ${LEAST_TOP_P}`);
  }
  if (temperature !== undefined && topP !== undefined && versionOf(model) >= ONE_OF_BOTH) {
    throw refusedOption('topP', model, 'it takes either temperature or topP; leave one of them out');
  }
  if (stopSequences?.some((text) => text.trim() === '')) {
    throw refusedOption('stopSequences', model, 'each must have a character that is not a space');
  }
}

/** True when the request asks for thinking. */
function isThinking({ reasoning }: ModelOptions, extraBody: Fields): boolean {
  if (reasoning !== undefined) return reasoning !== 'off';
  const type = recordOf(extraBody['thinking'])?.['type'];
  return type !== undefined && type !== 'disabled';
}

function reasoningFields(reasoning: NonNullable<ModelOptions['reasoning']>, model: string, maxTokens: unknown): Fields {
  const facts = thinkingFacts(model);
  if (reasoning === 'off') return offField(model, facts);
  if ('effort' in reasoning) {
    const { effort } = reasoning;
    if (facts.efforts.includes(effort)) return { thinking: { type: 'adaptive' }, output_config: { effort } };
    const known = facts.efforts.length > 0 ? `its efforts are ${facts.efforts.join(', ')}` : 'it has no effort to set';
    throw refusedOption('reasoning', model, facts.takesBudget ? `${known}; or use { budgetTokens }` : known);
  }
  const { budgetTokens } = reasoning;
  if (!facts.takesBudget) {
    const how = facts.efforts.length > 0 ? 'it takes no budget; use { effort }' : 'it does not think; leave it out';
    throw refusedOption('reasoning', model, how);
  }
  if (budgetTokens < LEAST_BUDGET)
    throw refusedOption('reasoning', model, `a budget is at least ${LEAST_BUDGET} tokens`);
  if (typeof maxTokens === 'number' && budgetTokens >= maxTokens) {
    throw refusedOption('reasoning', model, `a budget must be less than the ${maxTokens} tokens of a reply`);
  }
  return { thinking: { type: 'enabled', budget_tokens: budgetTokens } };
}

function offField(model: string, { canBeOff, takesBudget, efforts }: ThinkingFacts): Fields {
  if (!canBeOff) throw refusedOption('reasoning', model, "it always thinks; use { effort: 'low' }");
  return takesBudget || efforts.length > 0 ? { thinking: { type: 'disabled' } } : {}; // others know no such field
}
