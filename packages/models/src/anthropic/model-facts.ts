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
/** Models that support `output_config.format` (platform.claude.com, "Structured outputs"). */
const WITH_OUTPUT_FORMAT =
  /^claude-(?:(?:opus|sonnet|haiku)-(?:4-[5-9](?!\d)|[5-9](?!\d)|\d\d(?!\d))|(?:fable|mythos)-)/;

/** The default of `max_tokens` for a model, by the beginning of its name. */
export function maxTokensOf(model: string): number {
  const name = bareName(model);
  return MAX_TOKENS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? DEFAULT_MAX_TOKENS;
}

/** True when the model has an output mode for a given schema. */
export function hasOutputFormat(model: string): boolean {
  return WITH_OUTPUT_FORMAT.test(bareName(model));
}

/** The service's own name: routers and clouds write `anthropic/claude-opus-4.6` and `eu.anthropic.claude-opus-4-6-v1:0`. */
export function bareName(model: string): string {
  const start = model.indexOf('claude');
  return start < 0 ? model : model.slice(start).replaceAll('.', '-');
}
