import { ValidationError } from '@x/core';
import { isRecord } from '@x/errors';

type Fields = Readonly<Record<string, unknown>>;

/** Fields about tools, which services refuse in a request without any: chat completions, responses, Anthropic, Gemini. */
const ABOUT_TOOLS: ReadonlySet<string> = new Set([
  'tool_choice',
  'parallel_tool_calls',
  'max_tool_calls',
  'toolConfig',
]);

/**
 * Joins the host's fields over the own ones. Objects in both are joined, one level deep, so that the host's `generationConfig` does not
 * replace ours. Fields about tools are left out where there are none, as in the request for a summary.
 */
export function withExtra(
  own: Fields,
  extra: Fields | undefined,
  { hasTools }: { readonly hasTools: boolean },
): Fields {
  const joined: Record<string, unknown> = { ...own };
  for (const [name, value] of Object.entries(extra ?? {})) {
    if (!hasTools && ABOUT_TOOLS.has(name)) continue;
    const before = Object.hasOwn(own, name) ? own[name] : undefined;
    joined[name] = isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
  }
  return joined;
}

/** @throws ValidationError for a field that requests set themselves */
export function checkExtraBody(extra: Fields | undefined, reserved: readonly string[]): void {
  const taken = Object.keys(extra ?? {}).find((name) => reserved.includes(name));
  if (taken === undefined) return;
  const field = `provider.extraBody.${taken}`;
  throw new ValidationError(`${field} cannot be set: every request sets it itself`, field);
}
