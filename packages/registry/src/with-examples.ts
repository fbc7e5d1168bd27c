import { isAgentError, type JsonSchema, type Schema, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { ToolExample } from './metadata.ts';

/** The schema of a tool with its examples, which models get. @throws ValidationError for an example that would be refused */
export function withExamples<Input>(schema: Schema<Input>, examples: readonly ToolExample[] = []): Schema<Input> {
  if (examples.length === 0) return schema;
  for (const [index, { parameters }] of examples.entries()) checkExample(schema, parameters, index);
  let json: JsonSchema | undefined;
  return {
    get json() {
      json ??= { ...schema.json, examples: examples.map(({ parameters }) => parameters) };
      return json;
    },
    parse: (value) => schema.parse(value),
  };
}

function checkExample(schema: Schema<unknown>, parameters: unknown, index: number): void {
  try {
    schema.parse(parameters);
  } catch (error) {
    const details = isAgentError(error) ? error.details : undefined;
    throw new ValidationError(
      `examples[${index}] does not fit the parameters: ${messageOf(error)}`,
      'examples',
      details,
    );
  }
}
