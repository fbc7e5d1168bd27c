export { equal } from './equal.ts';
export { type Checked, type CompiledJsonSchema, type JsonSchemaOptions, jsonSchema } from './json-schema.ts';
export { type LinearPattern, type LinearPatternOptions, linearPattern } from './linear-pattern.ts';
export { isJsonSchema, type JsonSchema, type Schema } from './schema.ts';
export { withoutNulls } from './without-nulls.ts';
