import { type JsonSchema, type Schema, type Tool, ValidationError } from '@x/core';
import { messageOf, toToolSchema } from '@x/core/internal';
import { checkObject } from './parameters.ts';

/**
 * The schema of a finished tool: always an object, checked by its own schema. The JSON Schema is created here, so that a schema without one
 * is refused when the tool is added. Parsing copies the value: a tool may keep or change it.
 */
export function toolInput(tool: Tool): Schema<Record<string, unknown>> {
  const schema = toToolSchema(tool.inputSchema);
  return {
    json: jsonOf(tool.name, schema),
    parse(value) {
      checkObject(value);
      return schema.parse({ ...value }) as Record<string, unknown>; // what the tool takes
    },
  };
}

/** @throws ValidationError naming the tool whose schema has no JSON Schema */
function jsonOf(name: string, schema: Schema): JsonSchema {
  try {
    return schema.json;
  } catch (error) {
    throw new ValidationError(`Tool ${name}: inputSchema: ${messageOf(error)}`, 'inputSchema');
  }
}
