import type { ModelOptions } from '@x/core';
import { bareName } from '../model-name/bare-name.ts';
import { type Fields, type OptionFields, refusedOption } from '../wire/option-fields.ts';
import { generationOf } from './model-traits.ts';
import { pictureFields, wireServiceTool } from './service-tools.ts';

const inGeneration = (...names: readonly string[]) => names.map((name) => `generationConfig.${name}`);
const PLACES: OptionFields['places'] = {
  maxOutputTokens: inGeneration('maxOutputTokens'),
  temperature: inGeneration('temperature'),
  topP: inGeneration('topP'),
  stopSequences: inGeneration('stopSequences'),
  seed: inGeneration('seed'),
  reasoning: inGeneration('thinkingConfig'),
  toolChoice: ['toolConfig.functionCallingConfig', 'tool_config'],
  parallelToolCalls: [],
  serviceTier: ['serviceTier', 'service_tier'],
  logprobs: inGeneration('responseLogprobs', 'logprobs'),
  cache: [],
  serviceTools: ['tools'],
};
const MOST_STOPS = 5;
const INT_32 = 2 ** 31;
/** Tokens of a budget, least and most, and whether zero switches thinking off (ai.google.dev, "Thinking"). */
const BUDGETS = {
  pro: { least: 128, most: 32_768, canBeOff: false },
  'flash-lite': { least: 512, most: 24_576, canBeOff: true },
  flash: { least: 1, most: 24_576, canBeOff: true },
} as const;

/** Options of the model in the words of `generateContent`. */
export function geminiOptions(model: string): OptionFields {
  return { places: PLACES, fieldsOf: (options) => geminiFields(options, model) };
}

function geminiFields(options: ModelOptions, model: string): Fields {
  const { maxOutputTokens, temperature, topP, stopSequences, seed, reasoning, toolChoice, serviceTier } = options;
  const { serviceTools = [] } = options;
  const hasTools = serviceTools.flatMap((tool) => wireServiceTool(tool, model)).length > 0; // they are among the tools of a request
  if (stopSequences && stopSequences.length > MOST_STOPS) {
    throw refusedOption('stopSequences', model, `there are at most ${MOST_STOPS}`);
  }
  if (seed !== undefined && (seed >= INT_32 || seed < -INT_32)) {
    throw refusedOption('seed', model, 'it must be a number of 32 bits');
  }
  if (serviceTier === 'auto') throw refusedOption('serviceTier', model, 'its tiers are standard, flex and priority');
  if (options.parallelToolCalls !== undefined) {
    throw refusedOption('parallelToolCalls', model, 'the Gemini API has no such field; leave it out');
  }
  if (options.cache) {
    throw refusedOption(
      'cache',
      model,
      'it caches by itself; for a cache of your own see provider.extraBody.cachedContent',
    );
  }
  const thinkingConfig = reasoning && thinking(reasoning, model);
  const toolConfig = given({
    functionCallingConfig: toolChoice && calling(toolChoice),
    // without it these models refuse tools of both kinds in one request (ai.google.dev, "Tool combination")
    includeServerSideToolInvocations: (hasTools && generationOf(model) >= 3) || undefined,
  });
  const pictures = pictureFields(serviceTools, model);
  const responseLogprobs = options.logprobs === undefined ? undefined : true;
  const logprobs = options.logprobs === true ? undefined : options.logprobs;
  const generationConfig = given({
    maxOutputTokens,
    temperature,
    topP,
    stopSequences,
    seed,
    responseLogprobs,
    logprobs,
    thinkingConfig,
    ...pictures,
  });
  return {
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
    ...(Object.keys(toolConfig).length > 0 ? { toolConfig } : {}),
    ...(serviceTier ? { serviceTier } : {}),
  };
}

function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function calling(choice: NonNullable<ModelOptions['toolChoice']>): Fields {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.tool] };
  return { mode: { auto: 'AUTO', required: 'ANY', none: 'NONE' }[choice] };
}

/** Models from 3 on have levels, those of 2.5 budgets, earlier ones do not think. An unknown model is asked as it was said. */
function thinking(reasoning: NonNullable<ModelOptions['reasoning']>, model: string): Fields | undefined {
  const generation = generationOf(model);
  if (generation < 2.5) {
    if (reasoning === 'off') return undefined;
    throw refusedOption('reasoning', model, 'it does not think; leave it out');
  }
  if (reasoning === 'off') {
    if (generation >= 3) throw refusedOption('reasoning', model, "it always thinks; use { effort: 'low' }");
    if (!budgetOf(model).canBeOff)
      throw refusedOption('reasoning', model, 'it always thinks; use { budgetTokens: 128 }');
    return { thinkingBudget: 0 };
  }
  if ('effort' in reasoning) {
    const levels = levelsOf(model, generation);
    if (levels.includes(reasoning.effort))
      return { includeThoughts: true, thinkingLevel: reasoning.effort.toUpperCase() };
    const how = levels.length > 0 ? `its efforts are ${levels.join(', ')}` : 'it has no levels; use { budgetTokens }';
    throw refusedOption('reasoning', model, how);
  }
  const { budgetTokens: thinkingBudget } = reasoning;
  if (generation >= 3) throw refusedOption('reasoning', model, 'it has levels instead of a budget; use { effort }');
  const { least, most } = budgetOf(model);
  if (thinkingBudget < least || thinkingBudget > most) {
    throw refusedOption('reasoning', model, `a budget is ${least} to ${most} tokens`);
  }
  return { includeThoughts: true, thinkingBudget };
}

function budgetOf(model: string): (typeof BUDGETS)[keyof typeof BUDGETS] {
  const name = bareName(model);
  if (name.includes('flash-lite')) return BUDGETS['flash-lite'];
  return name.includes('pro') ? BUDGETS.pro : BUDGETS.flash;
}

function levelsOf(model: string, generation: number): readonly string[] {
  if (generation < 3) return [];
  const name = bareName(model);
  if (name.startsWith('gemini-3-pro')) return ['low', 'high'];
  const least = generation < 3.7 && name.includes('flash') ? ['minimal'] : [];
  return [...least, 'low', 'medium', 'high'];
}
