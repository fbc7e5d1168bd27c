import type { ModelOptions } from '@x/core';
import { recordOf } from '../wire/json-values.ts';
import { type Fields, fieldsFor, type OptionFields, refusedOption } from '../wire/option-fields.ts';
import { type ChatModelFacts, chatModelFacts } from './chat-model-facts.ts';
import { checkOpenAIOptions, isOpenAIModel, openaiCache, openaiTier, reasons } from './openai-facts.ts';
import { isOpenRouter } from './told-cost.ts';

/** The service of a chat model, as far as its options depend on it. */
export interface ChatService {
  /** A deployment on Azure is a model of OpenAI, whatever its name. */
  readonly isAzure?: boolean;
  /** Before the field for reasoning models, which is its name since 2024-09. Default false. */
  readonly isOld?: boolean;
  readonly baseUrl?: string | undefined;
  readonly extraBody?: Fields | undefined;
}

const PLACES: OptionFields['places'] = {
  maxOutputTokens: ['max_tokens', 'max_completion_tokens'],
  temperature: ['temperature'],
  topP: ['top_p'],
  stopSequences: ['stop'],
  seed: ['seed', 'random_seed'],
  reasoning: ['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'thinking_budget'],
  toolChoice: ['tool_choice'],
  parallelToolCalls: ['parallel_tool_calls'],
  serviceTier: ['service_tier'],
  logprobs: ['logprobs', 'top_logprobs'],
  cache: ['prompt_cache_retention', 'prompt_cache_options'],
  serviceTools: [],
};
/** OpenAI's limit, which the services that follow it have too. */
const MOST_STOPS = 4;

/** Options of the model in the words of chat completions. */
export function chatOptions(model: string, service: ChatService = {}): OptionFields {
  return { places: PLACES, fieldsOf: (options) => chatFields(options, model, service) };
}

function chatFields(options: ModelOptions, model: string, service: ChatService): Fields {
  const facts = chatModelFacts(model);
  const isOpenAI = isOpenAIModel(model);
  if (isOpenAI) checkOpenAIOptions(options, model);
  else checkVendor(options, { model, facts, service });
  const isNew = !service.isOld && (isOpenAI || service.isAzure === true);
  return fieldsFor(options, {
    maxOutputTokens: (tokens) => ({ [isNew ? 'max_completion_tokens' : 'max_tokens']: tokens }),
    temperature: (temperature) => ({ temperature }),
    topP: (top_p) => ({ top_p }),
    stopSequences: (stop) => ({ stop }),
    seed: (seed) => ({ [facts.seedField ?? 'seed']: seed }),
    reasoning: (reasoning) => reasoningFields(reasoning, { model, facts, service }),
    toolChoice: (choice) => ({
      tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } },
    }),
    parallelToolCalls: (parallel_tool_calls) => ({ parallel_tool_calls }),
    serviceTier: (tier) => ({ service_tier: openaiTier(tier) }),
    logprobs: (top) => ({ logprobs: true, ...(top === true ? {} : { top_logprobs: top }) }),
    cache: openaiCache,
    serviceTools: () => {
      throw refusedOption(
        'serviceTools',
        model,
        "chat completions have none; use api: 'responses' where the service has it",
      );
    },
  });
}

interface Asked {
  readonly model: string;
  readonly facts: ChatModelFacts;
  readonly service: ChatService;
}

/** @throws ValidationError for what another vendor than OpenAI is documented to refuse or to ignore */
function checkVendor(options: ModelOptions, { model, facts, service }: Asked): void {
  const { stopSequences, toolChoice, cache, serviceTier } = options;
  const thinks = isThinking(options, facts, service);
  for (const option of ['temperature', 'topP'] as const) {
    if (options[option] === undefined) continue;
    if (facts.neverSamples) throw refusedOption(option, model, 'it has no such option any more; leave it out');
    if (thinks && facts.samplesOnlyWithoutThinking) {
      throw refusedOption(option, model, `it ignores the option while it thinks; ${withoutThinking(facts)}`);
    }
  }
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  if (isForced && thinks && facts.hasSwitch) {
    throw refusedOption('toolChoice', model, `it refuses a forced call while it thinks; ${withoutThinking(facts)}`);
  }
  if (stopSequences && (facts.refusesStop || stopSequences.length > MOST_STOPS)) {
    const how = facts.refusesStop ? 'models that reason have no such option' : `there are at most ${MOST_STOPS}`;
    throw refusedOption('stopSequences', model, `${how}; leave it out`);
  }
  if (options.logprobs && (facts.lacksLogprobs || (thinks && facts.samplesOnlyWithoutThinking))) {
    const how = facts.lacksLogprobs ? 'its service has no such field; leave it out' : withoutThinking(facts);
    throw refusedOption('logprobs', model, facts.lacksLogprobs ? how : `it refuses the option while it thinks; ${how}`);
  }
  if (serviceTier && facts.refusesTier) throw refusedOption('serviceTier', model, 'its service has none; leave it out');
  if (cache && !(service.isAzure && cache.ttl === '24h')) {
    throw refusedOption('cache', model, 'its service has no known field for it; see provider.extraBody');
  }
}

function withoutThinking({ thinks }: ChatModelFacts): string {
  return thinks === 'always' ? 'leave it out' : "leave it out, or set reasoning: 'off'";
}

function isThinking({ reasoning }: ModelOptions, { thinks }: ChatModelFacts, { extraBody = {} }: ChatService): boolean {
  if (thinks === 'always') return true;
  const type = recordOf(extraBody['thinking'])?.['type'];
  const asked = reasoning === undefined ? type : reasoning === 'off' ? 'disabled' : 'enabled';
  return asked === undefined ? thinks === 'by default' : asked !== 'disabled';
}

function reasoningFields(
  reasoning: NonNullable<ModelOptions['reasoning']>,
  { model, facts: { thinks, hasSwitch, efforts }, service: { baseUrl } }: Asked,
): Fields {
  const isRouted = isOpenRouter(baseUrl);
  if (reasoning === 'off') {
    if (thinks === 'always') throw refusedOption('reasoning', model, 'it always thinks; leave it out');
    if (isRouted) return { reasoning: { enabled: false } };
    if (hasSwitch) return { thinking: { type: 'disabled' } };
    return isOpenAIModel(model) && !reasons(model) ? {} : { reasoning_effort: 'none' };
  }
  if ('budgetTokens' in reasoning) {
    if (isRouted) return { reasoning: { max_tokens: reasoning.budgetTokens } };
    throw refusedOption('reasoning', model, 'chat completions have no budget for thinking; use { effort }');
  }
  const { effort } = reasoning;
  if (efforts && !efforts.includes(effort)) {
    const how = efforts.length > 0 ? `its efforts are ${efforts.join(', ')}` : 'it has no effort to set; leave it out';
    throw refusedOption('reasoning', model, how);
  }
  if (isRouted) return { reasoning: { effort } };
  return { ...(hasSwitch ? { thinking: { type: 'enabled' } } : {}), reasoning_effort: effort };
}
