import type { FunctionDefinition } from '@x/registry';
import { builtinDefinitions } from './builtin-definitions.ts';
import { BUILTIN_TOOL_GROUPS } from './builtin-tool-groups.ts';
import type { ToolGroupDefinition } from './tool-group.ts';

/** The built-in groups with their definitions: the given ones, else those of our own table. */
export function builtinGroups(
  given: ReadonlyMap<string, FunctionDefinition>,
): readonly (readonly [id: string, definition: ToolGroupDefinition])[] {
  const known = builtinDefinitions();
  return Object.entries(BUILTIN_TOOL_GROUPS).map(([id, { description, tools: names }]) => {
    const tools = names.flatMap((name) => given.get(name) ?? known.get(name) ?? []);
    return [id, { description, tools }] as const;
  });
}
