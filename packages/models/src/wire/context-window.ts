import { bareName } from '../model-name/bare-name.ts';

const DEFAULT_TOKENS = 128_000;
/** The first matching prefix counts, so longer ones come first. */
const WINDOWS: readonly (readonly [prefix: string, tokens: number])[] = [
  ['gpt-5.4-mini', 400_000],
  ['gpt-5.4-nano', 400_000],
  ['gpt-5.4', 1_050_000],
  ['gpt-5-chat', 128_000],
  ['gpt-5', 400_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-4', 8_192],
  ['gpt-3.5', 16_385],
  ['o1', 200_000],
  ['o3', 200_000],
  ['o4', 200_000],
  // the million came with 4.6 (platform.claude.com, "Models overview")
  ['claude-opus-4-5', 200_000],
  ['claude-opus-4-1', 200_000],
  ['claude-opus-4-0', 200_000],
  ['claude-opus-4-2', 200_000], // a date
  ['claude-sonnet-4-5', 200_000],
  ['claude-sonnet-4-0', 200_000],
  ['claude-sonnet-4-2', 200_000],
  ['claude-haiku', 200_000],
  ['claude-2', 200_000],
  ['claude-3', 200_000],
  ['claude', 1_000_000],
  ['gemini', 1_048_576],
  ['deepseek-v4', 1_000_000],
  ['deepseek-flash', 1_000_000],
  ['kimi-k2', 262_144],
  ['grok-4-fast', 2_000_000],
  ['grok-4-1-fast', 2_000_000],
  ['grok-4', 256_000],
];

/** Tokens of a model's window, by the beginning of its name; 128,000 for an unknown one. */
export function contextWindowOf(model: string): number {
  const bare = bareName(model);
  return WINDOWS.find(([prefix]) => bare.startsWith(prefix))?.[1] ?? DEFAULT_TOKENS;
}
