import type { JsonSchema, ModelRequest } from '@x/core';
import { geminiSchema } from '../schema/provider-schema.ts';
import type { FinalCall } from '../wire/final-answer.ts';
import { recordOf } from '../wire/json-values.ts';
import type { ModelTraits } from './model-traits.ts';

/** A function through which a model gives its answer, when it does not accept both functions and a schema for the answer. */
export interface FinalTool extends FinalCall {
  readonly schema: JsonSchema;
}

/** The extra function of a request; undefined when the service's own mode suffices. @throws ValidationError */
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

function underValue(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { value: schema }, required: ['value'] };
}

/** Returns an unused name; functions begin with a letter or an underscore. */
function freeName(wanted: string, taken: readonly string[]): string {
  const first = /^[A-Za-z_]/.test(wanted) ? wanted : `_${wanted}`;
  let name = first;
  for (let number = 2; taken.includes(name); number++) name = `${first}_${number}`;
  return name;
}
