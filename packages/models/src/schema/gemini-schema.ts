import type { JsonSchema } from '@x/core';
import type { Dialect } from './dialect.ts';
import { rewriteSchema } from './rewrite-schema.ts';

/**
 * Converts a schema for Gemini's `responseJsonSchema` and `parametersJsonSchema`: supported keywords are sent, the others are described in
 * the descriptions. A property through which a schema refers to itself becomes optional, as Gemini requires.
 * @throws ValidationError naming JSON pointer and keyword of a reference that cannot be expressed
 */
export function geminiSchema(schema: JsonSchema): JsonSchema {
  return rewriteSchema(schema, GEMINI);
}

const GEMINI: Dialect = {
  service: 'Gemini',
  advice: 'put the reference into a property',
  constraints: new Set(['format', 'minItems', 'maxItems', 'minimum', 'maximum']),
  exact: false,
  nullForAbsent: false,
  recursion: 'in optional properties',
  literals: 'string or number',
  typedLiterals: true,
};
