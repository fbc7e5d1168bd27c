/**
 * Maximum output tokens of a model (platform.claude.com, "Models overview"); the first matching prefix counts. Models before 4.5 refuse a
 * request whose messages and limit together exceed the window, so their limit leaves room.
 */
const MAX_TOKENS: readonly (readonly [prefix: string, tokens: number])[] = [
  ['claude-3-7-sonnet', 32_000],
  ['claude-3-5-', 8_192],
  ['claude-3-', 4_096],
  ['claude-2', 4_096],
  ['claude-instant', 4_096],
  ['claude-4-', 32_000],
  ['claude-opus-4-5', 64_000],
  ['claude-opus-4-1', 32_000],
  ['claude-opus-4-0', 32_000],
  ['claude-opus-4-2025', 32_000],
  ['claude-sonnet-4-0', 32_000],
  ['claude-sonnet-4-2025', 32_000],
  ['claude-opus-', 128_000],
  ['claude-fable-', 128_000],
  ['claude-mythos-', 128_000],
  ['claude-', 64_000],
];
/** For models of other vendors behind the same API: all of them accept this. */
const DEFAULT_MAX_TOKENS = 8_192;
/** Models from 4.5 on: `output_config.format`, and search among deferred tools ("Structured outputs", "Tool search tool"). */
const FROM_4_5 = /^claude-(?:(?:opus|sonnet|haiku)-(?:4-[5-9](?!\d)|[5-9](?!\d)|\d\d(?!\d))|(?:fable|mythos)-)/;

/** The default of `max_tokens` for a model, by the beginning of its name. */
export function maxTokensOf(model: string): number {
  const name = claudeName(model);
  return MAX_TOKENS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? DEFAULT_MAX_TOKENS;
}

/** True when the model has an output mode for a given schema. */
export function hasOutputFormat(model: string): boolean {
  return FROM_4_5.test(claudeName(model));
}

/** True when the service can search tools for the model. */
export function defersTools(model: string): boolean {
  return FROM_4_5.test(claudeName(model));
}

/** The service's own name: routers and clouds write `anthropic/claude-opus-4.6` and `eu.anthropic.claude-opus-4-6-v1:0`. */
function claudeName(model: string): string {
  const start = model.indexOf('claude');
  return start < 0 ? model : model.slice(start).replaceAll('.', '-');
}

const VERSION = /^claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/;

/** 406 for 4.6; 0 for models before 4, and for those of other vendors. */
export function versionOf(model: string): number {
  const [, , major = '0', minor = '0'] = VERSION.exec(claudeName(model)) ?? [];
  return Number(major) * 100 + Number(minor);
}

/** A version of computer use. */
export type ComputerVersion = 'computer_toolset_20260801' | 'computer_20251124' | 'computer_20250124';

/** The newest version that a model takes (platform.claude.com, "Computer use tool"); undefined for a model without. */
export function computerVersion(model: string): ComputerVersion | undefined {
  const name = claudeName(model);
  const version = versionOf(model);
  if (version >= 408) return 'computer_toolset_20260801';
  const [, family] = VERSION.exec(name) ?? [];
  if (version === 406 || version === 407 || (version === 405 && family === 'opus')) return 'computer_20251124';
  return version >= 400 ? 'computer_20250124' : undefined;
}

/** The ways in which models think (platform.claude.com, "Thinking" and "Effort"). */
export interface ThinkingFacts {
  readonly takesBudget: boolean;
  readonly efforts: readonly string[];
  readonly canBeOff: boolean;
}

/** Budgets until 4.6, efforts from there on. Models of other vendors behind the same API know budgets. */
export function thinkingFacts(model: string): ThinkingFacts {
  const name = claudeName(model);
  const version = versionOf(model);
  const [, family = ''] = VERSION.exec(name) ?? [];
  if (/^claude-(?:fable|mythos)/.test(name)) return { takesBudget: false, efforts: EFFORTS, canBeOff: false };
  if (version >= WITHOUT_SAMPLING) {
    const alwaysThinks = version >= 505 && (family === 'opus' || family === 'sonnet');
    return { takesBudget: false, efforts: EFFORTS, canBeOff: !alwaysThinks };
  }
  if (version >= 406) {
    return { takesBudget: true, efforts: EFFORTS.filter((effort) => effort !== 'xhigh'), canBeOff: true };
  }
  const thinks = version >= 400 || !/^claude-(?:3-(?!7)|2|instant)/.test(name);
  return { takesBudget: thinks, efforts: [], canBeOff: true };
}

/** True when a model has `temperature` and `top_p`: until 4.6. */
export function takesSampling(model: string): boolean {
  return versionOf(model) < WITHOUT_SAMPLING && !/^claude-(?:fable|mythos)/.test(claudeName(model));
}

const EFFORTS: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const WITHOUT_SAMPLING = 407;
