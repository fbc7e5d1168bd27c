import { defineTool, type JsonSchema, type Schema, type Tool, type ToolContext, ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { jsonSchema } from '@x/json-schema';
import type { GivenFunctionDefinition } from './function-definition.ts';
import { FURTHER, type MetadataToolOptions } from './metadata-tool.ts';

/** Runs a function with arguments that fit its parameters. */
export type FunctionBody = (input: unknown, context: ToolContext) => unknown;

const DEFINITION: OptionRules<GivenFunctionDefinition> = {
  type: is.required(is.oneOf('function')),
  function: is.required(
    is.nested<GivenFunctionDefinition['function']>({
      name: is.anything, // `defineTool` checks it
      description: is.anything,
      parameters: is.anything, // `jsonSchema` checks it
      strict: is.oneOf(true, false, null),
    }),
  ),
};
const NOTHING = Object.freeze({ type: 'object', properties: Object.freeze({}) });

/**
 * Creates a tool from a function definition and its implementation. Its schema is read as a foreign one (`jsonSchema` with `foreign`):
 * unknown keywords are left to the implementation. Parameters that are not a plain object schema are passed under `input`.
 * @throws ValidationError naming the invalid part of the definition or of its JSON Schema
 */
export function functionTool(
  definition: GivenFunctionDefinition,
  call: FunctionBody,
  options: MetadataToolOptions = {},
): Tool {
  checkOptions('functionTool options', options, FURTHER);
  checkOptions('A function definition', definition, DEFINITION);
  if (typeof call !== 'function') throw new ValidationError('What a function does must be a function', 'call');
  const { name, description, parameters = NOTHING } = definition.function;
  return defineTool({
    name,
    description: description === undefined || description === '' ? name : description,
    inputSchema: schemaOf(name, parameters),
    ...options,
    execute: async (input, context) => call(input, context),
  });
}

function schemaOf(name: string, parameters: object): Schema {
  try {
    return jsonSchema(parameters as JsonSchema, { foreign: true }); // safe: judged there
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError(`Tool ${name}: parameters: ${error.message}`, 'parameters', error.details);
  }
}
