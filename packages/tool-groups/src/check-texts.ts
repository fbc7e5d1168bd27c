import { ValidationError } from '@x/core';

/** @throws ValidationError naming the field that is no text, or an empty one; one that is optional may be undefined */
export function checkTexts(
  record: object,
  { needed, optional }: { readonly needed: readonly string[]; readonly optional: readonly string[] },
): void {
  const given = record as Readonly<Record<string, unknown>>;
  for (const key of [...needed, ...optional]) {
    const value = given[key];
    if ((typeof value === 'string' && value !== '') || (value === undefined && !needed.includes(key))) continue;
    throw new ValidationError(`${key} must be a text that is not empty`, key);
  }
}
