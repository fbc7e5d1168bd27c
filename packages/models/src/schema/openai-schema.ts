import type { JsonSchema } from '@x/core';
import type { Dialect } from './dialect.ts';
import { checkOpenaiLimits } from './openai-limits.ts';
import { rewriteSchema } from './rewrite-schema.ts';
import { inexpressible, keywordList } from './schema-node.ts';

/**
 * Converts a schema for structured output of OpenAI and compatible services. Not strict, it is sent unchanged. Strict, it is rewritten to
 * the subset of the guide "Structured model outputs": a closed object whose properties are all required; an optional one may be null
 * (`withoutNulls` of `@x/core/json-schema` reverses that).
 * @throws ValidationError naming JSON pointer and keyword that the subset cannot express
 */
export function openaiSchema(schema: JsonSchema, strict: boolean): JsonSchema {
  if (!strict) return schema;
  const sent = rewriteSchema(schema, OPENAI);
  if (sent['type'] !== 'object') {
    const found = sent['anyOf'] === undefined ? 'type' : 'anyOf';
    throw inexpressible(
      '',
      found,
      'does not make it one object, as OpenAI strict mode demands; wrap it in an object with one property',
    );
  }
  checkOpenaiLimits(sent);
  return sent;
}

const OPENAI: Dialect = {
  service: 'OpenAI strict mode',
  advice: 'change the schema, or set strict: false',
  constraints: new Set(
    keywordList(`
  pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems
`),
  ),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  exact: true,
  nullForAbsent: true,
  recursion: 'anywhere',
  literals: 'primitive',
  typedLiterals: true,
};
