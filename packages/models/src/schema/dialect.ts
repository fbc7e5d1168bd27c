import { keywordList } from './schema-node.ts';
/** What one service takes of JSON Schema, where the services differ. */
export interface Dialect {
  /** Named in errors. */
  readonly service: string;
  /** What to do instead, for errors. */
  readonly advice: string;
  /** Keywords about values that are sent as they are; the others are told in the description. */
  readonly constraints: ReadonlySet<string>;
  /** Values of `format` that are sent; all of them when absent. */
  readonly formats?: ReadonlySet<string>;
  /** Objects are closed and hold nothing that has no type: what cannot be said so is refused. Else it is told in the description. */
  readonly exact: boolean;
  /** Every property is required, and one that may be absent may be null instead. */
  readonly nullForAbsent: boolean;
  /** Where a schema may refer to itself. */
  readonly recursion: 'anywhere' | 'nowhere' | 'in optional properties';
  /** What may be listed: any value but objects and arrays, or only strings and numbers. */
  readonly literals: 'primitive' | 'string or number';
  /** Whether `type` stands beside `enum` and `const`. */
  readonly typedLiterals: boolean;
  /** Lower bounds of the lengths of arrays go no further. */
  readonly mostMinItems?: number;
}

/** The type that a keyword says something about. */
export const TYPE_OF_KEYWORD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    object: keywordList(`
  properties required additionalProperties patternProperties propertyNames minProperties maxProperties
  dependentRequired dependentSchemas dependencies unevaluatedProperties
`),
    array: keywordList(`
  items prefixItems additionalItems minItems maxItems uniqueItems contains minContains maxContains
  unevaluatedItems
`),
    string: ['minLength', 'maxLength', 'pattern', 'format'],
    number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  }).flatMap(([type, keywords]) => keywords.map((keyword) => [keyword, type] as const)),
);
/** Keywords about one value, which can be left out without refusing anything. */
export const CONSTRAINTS: ReadonlySet<string> = new Set(
  keywordList(`
  minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems
  maxItems uniqueItems contains minContains maxContains minProperties maxProperties
`),
);
/** Keywords that shape a value in a way that the subsets do not know. */
export const SHAPES: ReadonlySet<string> = new Set(
  keywordList(`
  not if then else dependentRequired dependentSchemas dependencies patternProperties unevaluatedProperties
  unevaluatedItems prefixItems additionalItems propertyNames allOf oneOf $dynamicRef $recursiveRef
`),
);
