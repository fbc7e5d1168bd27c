import type { RateLimit, RateLimits } from '@x/core/internal';

/** OpenAI, Azure, Groq, Together, Fireworks, xAI; Cerebras and Mistral name the window too (docs of each, "Rate limits"). */
const OPENAI = /^x-ratelimit-(limit|remaining|reset)-(requests|req|tokens)(?:-(minute|hour|day|month))?$/;
/** platform.claude.com, "Rate limits", "Response headers". */
const ANTHROPIC = /^anthropic-ratelimit-(requests|tokens|input-tokens|output-tokens)-(limit|remaining|reset)$/;
const KINDS: Readonly<Record<string, keyof RateLimits>> = {
  requests: 'requests',
  req: 'requests',
  tokens: 'tokens',
  'input-tokens': 'inputTokens',
  'output-tokens': 'outputTokens',
};
/** Of several windows the first of these counts. */
const WINDOWS = ['', 'minute', 'hour', 'day', 'month'];
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/;
/** `1h2m3.5s`, `20ms`, as Go writes durations. */
const DURATION = /^(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,12}(?:\.\d{1,9})?)ms)?$/;
/** A time since 1970 in seconds, or in milliseconds, and no duration: from 2001 on. */
const SECONDS_SINCE_1970 = 1e9;
const MS_SINCE_1970 = 1e12;

/** Beginnings of the names of headers about limits. */
export const LIMIT_HEADERS: readonly string[] = ['x-ratelimit-', 'anthropic-ratelimit-'];

/**
 * The limits in the headers of an answer, their names in lower case; undefined without any. Values that cannot be read are left out.
 * `answeredAt`: when the answer came, in milliseconds since 1970.
 */
export function rateLimitsIn(
  headers: readonly (readonly [name: string, value: string])[],
  answeredAt: number,
): RateLimits | undefined {
  const limits: { -readonly [Kind in keyof RateLimits]: RateLimit } = {};
  const windows: Partial<Record<keyof RateLimits, number>> = {};
  for (const [name, text] of headers) {
    const said = factIn(name);
    const fact = said && valueOf(said.fact, text.trim(), answeredAt);
    if (!said || !fact) continue;
    const { kind, window } = said;
    const known = windows[kind] ?? window;
    if (window > known) continue;
    limits[kind] = { ...(window < known ? {} : limits[kind]), ...fact };
    windows[kind] = window;
  }
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function factIn(
  name: string,
): { readonly fact: string; readonly kind: keyof RateLimits; readonly window: number } | undefined {
  const [, fact = '', kind = '', window = ''] = OPENAI.exec(name) ?? [];
  if (fact !== '') return { fact, kind: KINDS[kind]!, window: WINDOWS.indexOf(window) }; // the pattern has no other kinds
  const [, own = '', ownFact = ''] = ANTHROPIC.exec(name) ?? [];
  return ownFact === '' ? undefined : { fact: ownFact, kind: KINDS[own]!, window: 0 }; // nor this one
}

function valueOf(fact: string, text: string, answeredAt: number): RateLimit | undefined {
  if (fact !== 'reset') return NUMBER.test(text) ? { [fact]: Number(text) } : undefined;
  const at = resetTime(text, answeredAt);
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : { resetAt: date.toISOString() };
}

/** Milliseconds since 1970 of a duration, of seconds, or of a time. */
function resetTime(text: string, answeredAt: number): number | undefined {
  if (NUMBER.test(text)) {
    const number = Number(text);
    if (number >= MS_SINCE_1970) return number;
    return number >= SECONDS_SINCE_1970 ? number * 1000 : answeredAt + number * 1000;
  }
  const [whole, hours = 0, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(text) ?? [];
  if (whole) return answeredAt + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms);
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : undefined;
}
