import { checkKeys, defineTool, type Tool, type ToolContext, ValidationError } from '@x/core';
import { jsonSchema } from '@x/core/json-schema';
import type { FunctionDefinition } from './function-definition.ts';
import type { MetadataToolOptions } from './metadata-tool.ts';

/** What a function does with arguments that fit its parameters. */
export type FunctionBody = (input: unknown, context: ToolContext) => unknown;

/**
 * A function definition, and what it does, as a tool. Parameters that are no plain object schema are given under `input`.
 * @throws ValidationError naming what does not fit, in the definition or in its JSON Schema
 */
export function functionTool(
  definition: FunctionDefinition,
  call: FunctionBody,
  options: MetadataToolOptions = {},
): Tool {
  checkKeys('functionTool options', options, ['kind', 'effect', 'parallelSafe']);
  checkKeys('A function definition', definition, ['type', 'function']);
  checkKeys('function', definition.function, ['name', 'description', 'parameters']);
  if (definition.type !== 'function') throw new ValidationError('The type of a definition must be "function"', 'type');
  if (typeof call !== 'function') throw new ValidationError('What a function does must be a function', 'call');
  const { name, description, parameters } = definition.function;
  return defineTool({
    name,
    description,
    inputSchema: jsonSchema(parameters),
    ...options,
    execute: async (input, context) => call(input, context),
  });
}
