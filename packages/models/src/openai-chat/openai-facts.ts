import type { ModelOptions } from '@x/core';
import { bareName } from '../model-name/bare-name.ts';
import { refusedOption } from '../wire/option-fields.ts';

/** What a model of OpenAI takes, by its name (platform.openai.com, "Reasoning models", "Prompt caching", and the pages of the models). */
interface OpenAIFacts {
  /** Thinks before it answers. */
  readonly reasons: boolean;
  readonly efforts: readonly string[];
  readonly canBeOff: boolean;
  /** Refuses the field, whatever its value. */
  readonly lacksParallel: boolean;
  readonly ttls: readonly string[];
}

const OPENAI = /^(?:gpt-(?!oss)|o\d|chatgpt-|codex-)/;
const GPT = /^gpt-(\d+)(?:\.(\d+))?/;
const NOT_REASONING = /^gpt-5[^/]*-chat/;

/** True for a model of OpenAI itself, whichever service it runs on. */
export function isOpenAIModel(model: string): boolean {
  return OPENAI.test(bareName(model));
}

/** True when the responses API searches tools for the model: from 5.4 on (developers.openai.com, "Tool search"). */
export function defersTools(model: string): boolean {
  const name = bareName(model);
  return versionOf(name) >= 504 && !NOT_REASONING.test(name);
}

/**
 * True when the responses API has computer use for the model: from 5.4 on, but for the smallest (developers.openai.com, "Computer use"). The
 * name of a deployment on Azure does not say it.
 */
export function usesComputer(model: string, provider?: string): boolean {
  return provider !== 'azure-openai' && defersTools(model) && !/-nano/.test(bareName(model));
}

/** 504 for 5.4; 0 for a name that says none. */
function versionOf(name: string): number {
  const [, major = '0', minor = '0'] = GPT.exec(name) ?? [];
  return Number(major) * 100 + Number(minor);
}

function factsOf(model: string): OpenAIFacts {
  const name = bareName(model);
  const version = versionOf(name);
  const ttls = [...(version >= 401 && !NOT_REASONING.test(name) ? ['24h'] : []), ...(version >= 506 ? ['30m'] : [])];
  if (/^o\d/.test(name)) {
    const efforts = /^o1-(?:mini|preview)/.test(name) ? [] : ['low', 'medium', 'high'];
    return { reasons: true, efforts, canBeOff: false, lacksParallel: /^(?:o1|o3-mini)/.test(name), ttls };
  }
  const reasons = version >= 500 && !NOT_REASONING.test(name);
  const isFixed = /-(?:pro|codex)/.test(name);
  return {
    reasons,
    efforts: reasons ? effortsOf(name, version) : [],
    canBeOff: !reasons || (version >= 501 && !isFixed),
    lacksParallel: false,
    ttls,
  };
}

function effortsOf(name: string, version: number): readonly string[] {
  if (name.startsWith('gpt-5-pro')) return ['high'];
  const least = version === 500 && !name.includes('codex') ? ['minimal'] : [];
  const most = version >= 502 || name.includes('codex-max') ? ['xhigh'] : [];
  return [...least, 'low', 'medium', 'high', ...most, ...(version >= 506 ? ['max'] : [])];
}

/** Refuses what a model of OpenAI does not take, over chat completions and responses alike. @throws ValidationError */
export function checkOpenAIOptions(options: ModelOptions, model: string): void {
  const { reasons, efforts, canBeOff, lacksParallel, ttls } = factsOf(model);
  const { reasoning, cache } = options;
  for (const option of ['temperature', 'topP', 'logprobs'] as const) {
    if (options[option] === undefined || !reasons || (canBeOff && reasoning === 'off')) continue;
    const how = canBeOff ? "leave it out, or set reasoning: 'off'" : 'leave it out';
    throw refusedOption(option, model, `it reasons, and then has no such option; ${how}`);
  }
  if (reasons && options.stopSequences) {
    throw refusedOption('stopSequences', model, 'models that reason have no such option; leave it out');
  }
  if (lacksParallel && options.parallelToolCalls !== undefined) {
    throw refusedOption('parallelToolCalls', model, 'it calls one tool at a time; leave it out');
  }
  if (reasoning === 'off' && !canBeOff)
    throw refusedOption('reasoning', model, `it always reasons; ${listed(efforts)}`);
  if (typeof reasoning === 'object' && 'effort' in reasoning && !efforts.includes(reasoning.effort)) {
    throw refusedOption('reasoning', model, reasons ? listed(efforts) : 'it does not reason; leave it out');
  }
  if (cache && !ttls.includes(cache.ttl)) {
    const how = ttls.length > 0 ? `its ttl is ${ttls.join(' or ')}` : 'its cache has no ttl to set; leave it out';
    throw refusedOption('cache', model, how);
  }
}

/** The field of a `cache` that a model of OpenAI takes. */
export function openaiCache({ ttl }: NonNullable<ModelOptions['cache']>): Readonly<Record<string, unknown>> {
  return ttl === '30m' ? { prompt_cache_options: { ttl } } : { prompt_cache_retention: ttl };
}

/** The tier in OpenAI's words. */
export function openaiTier(tier: NonNullable<ModelOptions['serviceTier']>): string {
  return tier === 'standard' ? 'default' : tier;
}

function listed(efforts: readonly string[]): string {
  return efforts.length > 0 ? `its efforts are ${efforts.join(', ')}` : 'leave it out';
}

/** True for a model of OpenAI that reasons. */
export function reasons(model: string): boolean {
  return factsOf(model).reasons;
}
