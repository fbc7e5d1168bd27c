import { isKeyed } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkValue, type OptionRule, type OptionRules } from '@x/errors/option-rules';
import { frozen } from './frozen.ts';
import { SERVICE_TOOLS, type ServiceTool } from './service-tools.ts';

/** Thinking before the answer: an effort, a budget in tokens, or none. */
export type ReasoningOption =
  | { readonly effort: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' }
  | { readonly budgetTokens: number }
  | 'off';
/** Options of a model, in one vocabulary for all services. One that a model does not take is refused, never ignored. */
export interface ModelOptions {
  /** Tokens of one reply, thoughts included. Default: that of the service. */
  readonly maxOutputTokens?: number;
  /** 0 to 2. */
  readonly temperature?: number;
  /** 0 to 1. */
  readonly topP?: number;
  /** Texts at which a reply ends. */
  readonly stopSequences?: readonly string[];
  /** The same number gives similar replies, as far as the service can. */
  readonly seed?: number;
  readonly reasoning?: ReasoningOption;
  /** For one reply, then reset: `required` is any call, `{ tool }` a call of this one. Default `auto`. */
  readonly toolChoice?: 'auto' | 'required' | 'none' | { readonly tool: string };
  /** False: at most one call in a reply. */
  readonly parallelToolCalls?: boolean;
  readonly serviceTier?: 'auto' | 'standard' | 'flex' | 'priority';
  /** The reply has the probabilities of its tokens; a number is how many alternatives come with each, 1 to 20. */
  readonly logprobs?: true | number;
  /** For how long the service keeps the beginning of a request. */
  readonly cache?: { readonly ttl: '5m' | '30m' | '1h' | '24h' };
  /** Tools of the service, beside those of the session; each type once. */
  readonly serviceTools?: readonly ServiceTool[];
}

type Asked<T> = T extends object ? T : never;
const EFFORT: OptionRules<{ effort: unknown }> = {
  effort: is.required(is.oneOf('minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
};
const BUDGET: OptionRules<{ budgetTokens: unknown }> = { budgetTokens: is.required(is.count()) };
const TOOL: OptionRules<Asked<ModelOptions['toolChoice']>> = { tool: is.required(is.words) };
const CACHE: OptionRules<Asked<ModelOptions['cache']>> = { ttl: is.required(is.oneOf('5m', '30m', '1h', '24h')) };
const REASONING = is.rule("'off', { effort } or { budgetTokens }", isKeyed, (value, path) => {
  const own = Object.hasOwn(value as object, 'budgetTokens') ? is.nested(BUDGET) : is.nested(EFFORT); // safe: it fits
  checkValue(path, value, own);
});
const RULES: OptionRules<ModelOptions> = {
  maxOutputTokens: is.count(),
  temperature: between(0, 2),
  topP: between(0, 1),
  stopSequences: is.filledListOf(is.filledText, 'a list of texts that are not empty'),
  seed: is.rule('a whole number', Number.isSafeInteger),
  reasoning: is.either(is.oneOf('off'), REASONING, REASONING.duty),
  toolChoice: is.either(is.oneOf('auto', 'required', 'none'), is.nested(TOOL), 'auto, required, none or { tool }'),
  parallelToolCalls: is.flag,
  serviceTier: is.oneOf('auto', 'standard', 'flex', 'priority'),
  logprobs: is.either(
    is.rule('true', (value) => value === true),
    is.count(1, 20),
  ),
  cache: is.nested(CACHE, 'an object such as { ttl }'),
  serviceTools: SERVICE_TOOLS,
};
/** The rule for options of the model among other options. */
export const MODEL_OPTIONS: OptionRule = is.nested(RULES, 'an object such as { maxOutputTokens }');

/** A checked and frozen copy. @throws ValidationError naming the option by its whole path */
export function ownModelOptions(options: ModelOptions, path = 'modelOptions'): ModelOptions {
  checkValue(path, options, is.required(MODEL_OPTIONS));
  const kept = Object.entries(options).filter(([, value]) => value !== undefined);
  return frozen(structuredClone(Object.fromEntries(kept)) as ModelOptions); // safe: checked, and plain
}

/** The options of both, those of `over` first. */
export function withModelOptions(base: ModelOptions = {}, over: ModelOptions = {}): ModelOptions {
  return { ...base, ...over };
}

function between(least: number, most: number): OptionRule {
  return is.rule(
    `a number from ${least} to ${most}`,
    (value) => typeof value === 'number' && value >= least && value <= most,
  );
}
