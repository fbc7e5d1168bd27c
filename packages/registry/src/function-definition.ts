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
/** A function definition as others write it; what may be absent stands for what it says. */
export interface GivenFunctionDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    /** Absent or empty: the name stands for it, as models are told something of every tool. */
    readonly description?: string | undefined;
    /** JSON Schema of any draft from 04 on, as plain data. Absent: the function takes nothing. */
    readonly parameters?: object | undefined;
    /** Whether the service is to hold the model to the schema; passed on as it is, no verdict depends on it. */
    readonly strict?: boolean | null | undefined;
  };
}

/** What a model asks for in that form. */
export interface FunctionCall {
  readonly name: string;
  /** JSON as the model wrote it, or what it stands for. Absent or empty: no arguments. */
  readonly arguments?: string | Readonly<Record<string, unknown>>;
}

/** A tool, or metadata, as a function definition. */
export function toFunctionDefinition(tool: Tool | ToolMetadata): FunctionDefinition {
  return functionDefinition(tool, inputJsonOf(tool));
}

/** The form itself. */
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

/** The JSON Schema of what a tool takes. */
export function inputJsonOf(tool: Tool | ToolMetadata): JsonSchema {
  return 'inputSchema' in tool ? tool.inputSchema.json : parametersSchema(tool.parameters).json;
}
