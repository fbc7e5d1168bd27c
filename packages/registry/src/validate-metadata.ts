import { checkKeys, ValidationError } from '@x/core';
import type { RegisterOptions, ToolMetadata, ToolParameter } from './metadata.ts';
import { PARAMETER_TYPES } from './parameter-check.ts';

/** Which names a registry takes, and what it says to others. */
export interface NamePolicy {
  readonly pattern: RegExp;
  readonly message: string;
}

export const KEBAB_CASE: NamePolicy = {
  pattern: /^[a-z][a-z0-9-]*$/,
  message: 'Tool name must start with lowercase letter and contain only lowercase letters, numbers, and hyphens',
};

const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const METADATA = ['name', 'description', 'parameters', 'version', 'category', 'tags', 'author', 'examples'];
const PARAMETER = ['name', 'type', 'description', 'required', 'default', 'enum', 'pattern', 'minimum', 'maximum'];
const EXAMPLE = ['description', 'parameters', 'expectedResult'];
const OPTIONS = ['version', 'tags', 'category', 'overwrite', 'dependencies'];

export function checkName(name: unknown, { pattern, message }: NamePolicy): asserts name is string {
  if (typeof name !== 'string' || name.trim() === '') throw new ValidationError('Tool name is required', 'name');
  if (RESERVED.has(name)) throw new ValidationError(`Tool name ${name} is reserved`, 'name');
  // `search` begins at the start, whatever the flags g and y remember.
  if (name.search(pattern) === -1) throw new ValidationError(message, 'name');
}

export function checkDescription(description: unknown): void {
  if (typeof description === 'string' && description.trim() !== '') return;
  throw new ValidationError('Tool description is required', 'description');
}

/** Everything but name and description. */
export function checkMetadata(metadata: ToolMetadata): void {
  refuseOtherForms(metadata);
  checkKeys('Tool metadata', metadata, METADATA);
  const { parameters, examples, version, category, author, tags } = metadata;
  if (!Array.isArray(parameters)) throw new ValidationError('Tool parameters must be a list', 'parameters');
  const names = new Set<string>();
  for (const parameter of parameters as readonly ToolParameter[]) {
    checkParameter(parameter);
    if (names.has(parameter.name))
      throw new ValidationError(`Two parameters are named ${parameter.name}`, parameter.name);
    names.add(parameter.name);
  }
  checkTexts({ version, category, author });
  checkTextLists({ tags });
  if (examples === undefined) return;
  if (!Array.isArray(examples)) throw new ValidationError('Tool examples must be a list', 'examples');
  for (const example of examples as readonly object[]) checkKeys('A tool example', example, EXAMPLE);
}

/** What people bring who know tools in another form. */
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

export function checkOptions(options: RegisterOptions): void {
  checkKeys('Register options', options, OPTIONS);
  const { version, category, tags, dependencies, overwrite } = options;
  checkTexts({ version, category });
  checkTextLists({ tags, dependencies });
  if (overwrite === undefined || typeof overwrite === 'boolean') return;
  throw new ValidationError('overwrite must be true or false', 'overwrite');
}

function checkParameter(parameter: ToolParameter): void {
  const { name, type, description, required, enum: values, pattern, minimum, maximum } = parameter ?? {};
  if (typeof name !== 'string' || name === '') throw new ValidationError('A parameter needs a name', 'parameters');
  const say = (text: string) => new ValidationError(`Parameter ${name}${text}`, name);
  if (RESERVED.has(name)) throw say(' has a reserved name');
  checkKeys(`Parameter ${name}`, parameter, PARAMETER);
  if (!PARAMETER_TYPES.includes(type)) throw say(`: type must be one of ${PARAMETER_TYPES.join(', ')}`);
  if (typeof description !== 'string') throw say(': description must be a text');
  if (required !== undefined && typeof required !== 'boolean') throw say(': required must be true or false');
  if (values !== undefined && !(Array.isArray(values) && values.length > 0)) throw say(': enum must list values');
  if (pattern !== undefined && typeof pattern !== 'string') throw say(": pattern must be a text, such as '^a$'");
  if (pattern !== undefined && type !== 'string') throw say(': only strings have a pattern');
  for (const bound of [minimum, maximum]) {
    if (bound !== undefined && (type !== 'number' || !Number.isFinite(bound))) throw say(': only numbers have bounds');
  }
  if ((minimum ?? -Infinity) > (maximum ?? Infinity)) throw say(': minimum is above maximum');
}

/** Each is a text or absent. */
export function checkTexts(texts: Readonly<Record<string, unknown>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (text !== undefined && typeof text !== 'string') throw new ValidationError(`${name} must be a text`, name);
  }
}

/** Each is a list of texts or absent. */
export function checkTextLists(lists: Readonly<Record<string, unknown>>): void {
  for (const [name, list] of Object.entries(lists)) {
    if (list === undefined || (Array.isArray(list) && list.every((one) => typeof one === 'string'))) continue;
    throw new ValidationError(`${name} must be a list of texts`, name);
  }
}
