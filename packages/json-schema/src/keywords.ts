/** The form of a keyword's value. */
export type Shape =
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'dependencies'
  | 'types'
  | 'count'
  | 'number'
  | 'positive'
  | 'boolean'
  | 'flag'
  | 'text'
  | 'names'
  | 'nameLists'
  | 'values'
  | 'list'
  | 'any'
  | 'pattern'
  | 'patternMap'
  | 'format'
  | 'identifier'
  | 'anchor'
  | 'reference'
  | 'dialect'
  | 'vocabulary';

/** All known keywords, with the form of their value. Those of the last group are annotations. */
export const KEYWORDS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...named('identifier', '$id'),
  ...named('anchor', '$anchor', '$dynamicAnchor'),
  ...named('reference', '$ref', '$dynamicRef'),
  ...named('dialect', '$schema'),
  ...named('vocabulary', '$vocabulary'),
  ...named('types', 'type'),
  ...named('values', 'enum'),
  ...named('any', 'const'),
  ...named('boolean', 'nullable', 'uniqueItems'),
  ...named('number', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...named('positive', 'multipleOf'),
  ...named('count', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'),
  ...named('count', 'minProperties', 'maxProperties'),
  ...named('pattern', 'pattern'),
  ...named('format', 'format'),
  ...named('schema', 'items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'),
  ...named('schema', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'),
  ...named('schemas', 'prefixItems', 'allOf', 'anyOf', 'oneOf'),
  ...named('schemaMap', '$defs', 'definitions', 'properties', 'dependentSchemas'),
  ...named('patternMap', 'patternProperties'),
  ...named('dependencies', 'dependencies'),
  ...named('names', 'required'),
  ...named('nameLists', 'dependentRequired'),
  ...named('text', '$comment', 'title', 'description', 'contentEncoding', 'contentMediaType'),
  ...named('any', 'default'),
  ...named('list', 'examples'),
  ...named('flag', 'deprecated', 'readOnly', 'writeOnly'),
]);

/** Common keywords of other drafts and dialects, with their replacement. */
export const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['additionalItems', 'it is items next to prefixItems in JSON Schema 2020-12'],
  ['$recursiveRef', 'it is $dynamicRef in JSON Schema 2020-12'],
  ['$recursiveAnchor', 'it is $dynamicAnchor in JSON Schema 2020-12'],
  ['id', 'it is $id in JSON Schema 2020-12'],
  ['discriminator', 'it is OpenAPI; give each schema of oneOf a const'],
  ['example', 'it is OpenAPI; write examples, a list'],
  ['optional', 'leave the name out of required'],
]);

/** Keywords that do nothing without one of the others. */
export const NEEDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['if', ['then', 'else']],
  ['then', ['if']],
  ['else', ['if']],
  ['minContains', ['contains']],
  ['maxContains', ['contains']],
  ['nullable', ['type']],
]);

function named(shape: Shape, ...keywords: readonly string[]): [string, Shape][] {
  return keywords.map((keyword) => [keyword, shape]);
}
