import { ValidationError } from '@x/core';
import { knownNames } from '@x/core/internal';
import { type FunctionDefinition, toFunctionDefinition } from '@x/registry';
import { runtimeTools } from '@x/tools';
import { BUILTIN_TOOL_GROUPS } from './builtin-tool-groups.ts';
import type { ToolGroupDefinition } from './tool-group.ts';

/** Groups of the host by id, each with the names of tools it has passed in. */
export type NamedGroups = Readonly<Record<string, { readonly description: string; readonly tools: readonly string[] }>>;

/** The groups, checked by `RUNTIME`, with the definitions of their tools. @throws ValidationError for an unknown name */
export function ownGroups(
  groups: NamedGroups,
  definitions: ReadonlyMap<string, FunctionDefinition>,
): readonly (readonly [id: string, definition: ToolGroupDefinition])[] {
  return Object.entries(groups).map(([id, { description, tools }]) => {
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

/** The built-in groups with their definitions: those given, else those of our own table. */
export function builtinGroups(
  given: ReadonlyMap<string, FunctionDefinition>,
): readonly (readonly [id: string, definition: ToolGroupDefinition])[] {
  const known = builtinDefinitions();
  return Object.entries(BUILTIN_TOOL_GROUPS).map(([id, { description, tools: names }]) => {
    const tools = names.flatMap((name) => given.get(name) ?? known.get(name) ?? []);
    return [id, { description, tools }] as const;
  });
}

/** The definitions of `runtimeTools`, by name: for those of the built-in groups that a runtime was not handed. */
export function builtinDefinitions(): ReadonlyMap<string, FunctionDefinition> {
  return new Map(runtimeTools().map((tool) => [tool.name, toFunctionDefinition(tool)]));
}
