import { ValidationError } from '@x/core';
import { isRecord } from '@x/errors';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Joins the host's fields over the own ones. Objects in both are joined, one level deep, so that the host's `generationConfig` does not
 * replace ours.
 */
export function withExtra(own: Fields, extra: Fields = {}): Fields {
  const joined: Record<string, unknown> = { ...own };
  for (const [name, value] of Object.entries(extra)) {
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
