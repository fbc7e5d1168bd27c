import type { JsonSchema, ModelRequest } from '@x/core';
import { geminiSchema } from '../schema/provider-schema.ts';
import { recordOf } from '../wire/untrusted.ts';
import type { ModelTraits } from './model-traits.ts';

/** A function by which a model gives its answer, where it cannot be offered functions and be given a schema for the answer. */
export interface FinalTool {
  readonly name: string;
  readonly schema: JsonSchema;
  /** The answer is not an object, and stands under `value`. */
  readonly wrapped: boolean;
}

/** The function that a request needs beside its own; none where the service's own mode does it. @throws ValidationError */
export function finalToolOf(
  { tools, outputFormat }: Pick<ModelRequest, 'tools' | 'outputFormat'>,
  { takesSchemaWithTools }: ModelTraits,
): FinalTool | undefined {
  if (!outputFormat || tools.length === 0 || takesSchemaWithTools) return undefined;
  const schema = geminiSchema(outputFormat.schema);
  const wrapped = recordOf(schema)?.['type'] !== 'object';
  const name = freeName(
    outputFormat.name,
    tools.map((tool) => tool.name),
  );
  return { name, schema: wrapped ? underValue(schema) : schema, wrapped };
}

/** The answer that a call of the function gives, as JSON. */
export function answerIn(input: unknown, { wrapped }: FinalTool): string {
  const value = wrapped && recordOf(input) ? recordOf(input)?.['value'] : input;
  return typeof input === 'string' ? input : JSON.stringify(value === undefined ? input : value);
}

function underValue(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { value: schema }, required: ['value'] };
}

/** Functions begin with a letter or an underscore. */
function freeName(wanted: string, taken: readonly string[]): string {
  const first = /^[A-Za-z_]/.test(wanted) ? wanted : `_${wanted}`;
  let name = first;
  for (let number = 2; taken.includes(name); number++) name = `${first}_${number}`;
  return name;
}
