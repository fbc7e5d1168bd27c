import { type JsonSchema, type Tool, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { ToolMetadata } from './metadata.ts';
import { parametersSchema } from './parameters.ts';

/** A tool in the form of the function-calling interfaces. */
export interface FunctionDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** JSON Schema 2020-12 of an object. */
    readonly parameters: JsonSchema;
  };
}
/** A function definition from outside, with optional fields. */
export interface GivenFunctionDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    /** Absent or empty: the name is used, as models need a description of every tool. */
    readonly description?: string | undefined;
    /** JSON Schema of any draft from 04 on, as plain data. Absent: the function has no parameters. */
    readonly parameters?: object | undefined;
    /** Asks the service to enforce the schema; passed on unchanged, no check depends on it. */
    readonly strict?: boolean | null | undefined;
  };
}

/** A model's call in that form. */
export interface FunctionCall {
  readonly name: string;
  /** JSON from the model, or the parsed value. Absent or empty: no arguments. */
  readonly arguments?: string | Readonly<Record<string, unknown>>;
}

/** Converts a tool, or metadata, to a function definition. */
export function toFunctionDefinition(tool: Tool | ToolMetadata): FunctionDefinition {
  return functionDefinition(tool, inputJsonOf(tool));
}

/** Builds the definition. */
export function functionDefinition(
  { name, description }: Tool | ToolMetadata,
  parameters: JsonSchema,
): FunctionDefinition {
  return { type: 'function', function: { name, description, parameters } };
}

/** The arguments of a call as a value. @throws ValidationError when they are not JSON */
export function argumentsOf({ name, arguments: given = {} }: FunctionCall): Readonly<Record<string, unknown>> {
  if (typeof given !== 'string') return given;
  if (given.trim() === '') return {};
  try {
    return JSON.parse(given) as Record<string, unknown>; // judged by the tool's own schema
  } catch (error) {
    throw new ValidationError(`The arguments of ${name} are not JSON: ${messageOf(error)}`);
  }
}

/** The JSON Schema of a tool's input. */
export function inputJsonOf(tool: Tool | ToolMetadata): JsonSchema {
  return 'inputSchema' in tool ? tool.inputSchema.json : parametersSchema(tool.parameters).json;
}
