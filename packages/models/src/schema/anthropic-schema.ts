import type { JsonSchema } from '@x/core';
import type { Dialect } from './dialect.ts';
import { rewriteSchema } from './rewrite-schema.ts';

/**
 * Converts a schema for Anthropic's `output_config.format`: closed objects, no recursion; bounds, lengths and patterns are described in the
 * descriptions instead, like in the official client. Validate the reply with the original schema.
 * @throws ValidationError naming JSON pointer and keyword that the subset cannot express
 */
export function anthropicSchema(schema: JsonSchema): JsonSchema {
  return rewriteSchema(schema, ANTHROPIC);
}

const ANTHROPIC: Dialect = {
  service: 'the structured output of Anthropic',
  advice: 'change the schema, or have the answer given by a tool',
  constraints: new Set(['format', 'minItems']),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']),
  exact: true,
  nullForAbsent: false,
  recursion: 'nowhere',
  literals: 'primitive',
  typedLiterals: false,
  mostMinItems: 1,
};
