import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { RegisterOptions, ToolExample, ToolMetadata, ToolParameter } from './metadata.ts';
import { PARAMETER_TYPES } from './parameter-check.ts';

/** The names that a registry accepts, and the message for others. */
export interface NamePolicy {
  readonly pattern: RegExp;
  readonly message: string;
}

export const KEBAB_CASE: NamePolicy = {
  pattern: /^[a-z][a-z0-9-]*$/,
  message: 'Tool name must start with lowercase letter and contain only lowercase letters, numbers, and hyphens',
};

const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const NUMBER = is.rule('a finite number', Number.isFinite);
const PARAMETER: OptionRules<ToolParameter> = {
  name: is.required(
    is.rule(
      'a text that is not empty, and not a reserved name',
      (value) => typeof value === 'string' && value !== '' && !RESERVED.has(value),
    ),
  ),
  type: is.required(is.oneOf(...PARAMETER_TYPES)),
  description: is.required(is.text),
  required: is.flag,
  default: is.anything, // `parameterCheck` checks it, and the values of enum
  enum: is.rule('a list of one value or more', (value) => Array.isArray(value) && value.length > 0),
  pattern: is.rule("a text, such as '^a$'", is.text.fits),
  minimum: NUMBER,
  maximum: NUMBER,
};
const EXAMPLE: OptionRules<ToolExample> = {
  description: is.anything,
  parameters: is.anything, // `withExamples` checks it
  expectedResult: is.anything,
};
const METADATA: OptionRules<ToolMetadata> = {
  name: is.anything, // `checkName` and `checkDescription` have checked them
  description: is.anything,
  parameters: is.required(is.listOf({ ...is.nested(PARAMETER), inside: checkParameter })),
  version: is.text,
  category: is.text,
  tags: is.texts,
  author: is.text,
  examples: is.listOf(is.nested(EXAMPLE)),
};
export const REGISTER: OptionRules<RegisterOptions> = {
  version: is.text,
  tags: is.texts,
  category: is.text,
  overwrite: is.flag,
  dependencies: is.texts,
};

export function checkName(name: unknown, { pattern, message }: NamePolicy): asserts name is string {
  if (typeof name !== 'string' || name.trim() === '') throw new ValidationError('Tool name is required', 'name');
  if (RESERVED.has(name)) throw new ValidationError(`Tool name ${name} is reserved`, 'name');
  // `search` begins at the start, whatever the state of the flags g and y.
  if (name.search(pattern) === -1) throw new ValidationError(message, 'name');
}

export function checkDescription(description: unknown): void {
  if (typeof description === 'string' && description.trim() !== '') return;
  throw new ValidationError('Tool description is required', 'description');
}

/** Checks everything but name and description. */
export function checkMetadata(metadata: ToolMetadata): void {
  refuseOtherForms(metadata);
  checkOptions('Tool metadata', metadata, METADATA);
  const names = new Set<string>();
  for (const [index, { name }] of metadata.parameters.entries()) {
    if (names.has(name)) throw new ValidationError(`Two parameters are named ${name}`, `parameters[${index}].name`);
    names.add(name);
  }
}

/** Refuses tools in another common form, with advice. */
function refuseOtherForms(metadata: unknown): void {
  const { inputSchema, parameters } = (metadata ?? {}) as {
    readonly inputSchema?: unknown;
    readonly parameters?: unknown;
  };
  if (inputSchema !== undefined) {
    const way = 'use add({ name, description, inputSchema, execute }), which takes any schema';
    throw new ValidationError(`register takes parameters, no inputSchema; ${way}`, 'inputSchema');
  }
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) return;
  const way = 'for a JSON Schema use add(...), or functionTool(...) with a function definition';
  throw new ValidationError(`Tool parameters must be a list of { name, type, description }; ${way}`, 'parameters');
}

function checkParameter(parameter: unknown, path: string): void {
  checkOptions(path, parameter, PARAMETER, path);
  const { type, pattern, minimum, maximum } = parameter as ToolParameter; // safe: checked
  const say = (key: keyof ToolParameter, text: string) =>
    new ValidationError(`${path}.${key} ${text}`, `${path}.${key}`);
  if (pattern !== undefined && type !== 'string') throw say('pattern', 'is only for a string');
  if (minimum !== undefined && type !== 'number') throw say('minimum', 'is only for a number');
  if (maximum !== undefined && type !== 'number') throw say('maximum', 'is only for a number');
  if ((minimum ?? -Infinity) > (maximum ?? Infinity)) throw say('minimum', 'is above maximum');
}
