import { messageOf, nearestName } from '@x/core/internal';
import type { ToolModule } from './module.ts';

/** A module with its names read once. */
export interface CheckedModule {
  readonly module: ToolModule;
  readonly name: string;
  readonly groupId: string;
  readonly description: string;
}

/** Optional names; a misspelt one would silently get its default. */
const OPTIONAL = ['toolGroupId', 'toolGroupDescription'];
const METHODS = ['getToolDefinitions', 'executeToolCall', 'init', 'shutdown'] as const;

/** The checked module, or its problem. Its methods may be inherited. */
export function checkModule(value: unknown): CheckedModule | { readonly problem: string } {
  try {
    return read(value);
  } catch (error) {
    return { problem: `A module cannot be read: ${messageOf(error)}` };
  }
}

function read(value: unknown): CheckedModule | { readonly problem: string } {
  if (typeof value !== 'object' || value === null) return { problem: 'A module must be an object' };
  const module = value as ToolModule; // safe: each part is looked at below
  const { name } = module;
  if (typeof name !== 'string' || name === '') return { problem: 'A module needs a name' };
  const { toolGroupId: groupId = name, toolGroupDescription: description = name } = module;
  if (typeof groupId !== 'string' || groupId === '') {
    return { problem: `The toolGroupId of module ${name} must be a string that is not empty` };
  }
  if (typeof description !== 'string')
    return { problem: `The toolGroupDescription of module ${name} must be a string` };
  const slip = slipIn(module);
  if (slip) return { problem: `The module ${name} has ${slip.key}, which nothing reads; did you mean ${slip.meant}?` };
  const missing = METHODS.find((method) => typeof module[method] !== 'function');
  if (missing !== undefined) return { problem: `The module ${name} needs a function ${missing}` };
  return { module, name, groupId, description };
}

function slipIn(module: object): { readonly key: string; readonly meant: string } | undefined {
  for (let link = module; link && link !== Object.prototype; link = Object.getPrototypeOf(link) as object) {
    for (const key of Object.getOwnPropertyNames(link)) {
      const meant = OPTIONAL.includes(key) ? undefined : nearestName(key, OPTIONAL, 1);
      if (meant !== undefined && key.length > 'toolGroup'.length) return { key, meant };
    }
  }
  return undefined;
}
