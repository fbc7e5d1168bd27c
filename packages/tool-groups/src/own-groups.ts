import { checkKeys, knownNames, ValidationError } from '@x/core';
import type { FunctionDefinition } from '@x/registry';
import type { ToolGroupDefinition } from './tool-group.ts';

/** Groups of the host by id, each with the names of tools it has handed in. */
export type NamedGroups = Readonly<Record<string, { readonly description: string; readonly tools: readonly string[] }>>;

/** The groups with the definitions of their tools. @throws ValidationError for what is no group, and a name that nobody bears */
export function ownGroups(
  groups: NamedGroups,
  definitions: ReadonlyMap<string, FunctionDefinition>,
): readonly (readonly [id: string, definition: ToolGroupDefinition])[] {
  if (typeof groups !== 'object' || groups === null) throw wrong('toolGroups', 'a record of { description, tools }');
  return Object.entries(groups).map(([id, group]) => {
    checkKeys(`toolGroups.${id}`, group, ['description', 'tools']);
    const { description, tools } = group;
    if (typeof description !== 'string') throw wrong(`toolGroups.${id}.description`, 'a text');
    if (!Array.isArray(tools)) throw wrong(`toolGroups.${id}.tools`, 'a list of names of tools');
    return [id, { description, tools: tools.map((name: unknown) => definitionOf(name, { id, definitions })) }] as const;
  });
}

function definitionOf(
  name: unknown,
  { id, definitions }: { readonly id: string; readonly definitions: ReadonlyMap<string, FunctionDefinition> },
): FunctionDefinition {
  const found = typeof name === 'string' ? definitions.get(name) : undefined;
  if (found) return found;
  const hint = knownNames(String(name), [...definitions.keys()]);
  throw new ValidationError(`toolGroups.${id}: no tool ${String(name)} was handed in; ${hint}`, 'toolGroups');
}

function wrong(field: string, expected: string): ValidationError {
  return new ValidationError(`${field} must be ${expected}`, field);
}
