/** Invisible characters, and those that change the order of others: a person who approves a text must see what a model reads. */
const HIDDEN = /(?![\n\t])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800]/gu;

/** The text without characters that are not seen, cut to `most` characters. */
export function cleanText(text: string, most: number): string {
  // A text of hidden characters alone must not cost more than one that is seen.
  const clean = text.slice(0, most * 4).replace(HIDDEN, '');
  return clean.length > most ? `${clean.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}\u2026` : clean;
}

const LITERAL = new Set(['enum', 'const', 'default', 'examples']);
const SAID = new Set(['description', 'title', '$comment']);

/** A copy of a schema with clean descriptions. For a schema that is not nested deeply. */
export function withCleanTexts(schema: unknown, most: number): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withCleanTexts(item, most));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (LITERAL.has(key)) return [key, value];
    return [key, typeof value === 'string' && SAID.has(key) ? cleanText(value, most) : withCleanTexts(value, most)];
  });
  return Object.fromEntries(entries);
}
