import { keywordList } from './schema-node.ts';
/** The parts of JSON Schema that one service takes, where the services differ. */
export interface Dialect {
  /** Used in errors. */
  readonly service: string;
  /** Advice for errors. */
  readonly advice: string;
  /** Constraints that are sent unchanged; the others are described in the description. */
  readonly constraints: ReadonlySet<string>;
  /** Values of `format` that are sent; all when absent. */
  readonly formats?: ReadonlySet<string>;
  /**
   * Objects must be closed, and everything must have a type: a schema that cannot be expressed so is refused. False: it is described in the
   * description.
   */
  readonly exact: boolean;
  /** Every property is required, and an optional one may be null instead. */
  readonly nullForAbsent: boolean;
  /** Places where a schema may refer to itself. */
  readonly recursion: 'anywhere' | 'nowhere' | 'in optional properties';
  /** Values that may be listed: any value but objects and arrays, or only strings and numbers. */
  readonly literals: 'primitive' | 'string or number';
  /** True when `type` is sent next to `enum` and `const`. */
  readonly typedLiterals: boolean;
  /** The largest `minItems` that is sent. */
  readonly mostMinItems?: number;
}

/** The type that a keyword applies to. */
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
/** Keywords about one value, which can be left out without refusing any value. */
export const CONSTRAINTS: ReadonlySet<string> = new Set(
  keywordList(`
  minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems
  maxItems uniqueItems contains minContains maxContains minProperties maxProperties
`),
);
/** Keywords about the shape of a value that the subsets lack. */
export const SHAPES: ReadonlySet<string> = new Set(
  keywordList(`
  not if then else dependentRequired dependentSchemas dependencies patternProperties unevaluatedProperties
  unevaluatedItems prefixItems additionalItems propertyNames allOf oneOf $dynamicRef $recursiveRef
`),
);
