import { checkJsonValue, messageOf } from '@x/core/internal';
import { type FunctionDefinition, functionTool } from '@x/registry';
import type { ToolGroupDefinition, ToolWarning } from './tool-group.ts';

/** A definition that was read: a frozen copy, each name once. */
export interface ReadDefinition {
  readonly description: string;
  readonly tools: ReadonlyMap<string, FunctionDefinition>;
  /** Tools that no session can use, with the reason. */
  readonly warnings: readonly ToolWarning[];
  /** Names that occur again with another definition; the first one counts. */
  readonly repeated: readonly string[];
}

/** A frozen copy of the definition of a group; undefined for an invalid one, whatever it is. */
export function readDefinition(
  definition: unknown,
  isSame: (one: FunctionDefinition, other: FunctionDefinition) => boolean,
): ReadDefinition | undefined {
  try {
    return read(definition, isSame);
  } catch {
    return undefined; // a getter that throws, a circle, a function: no plain data, so no definition
  }
}

function read(
  definition: unknown,
  isSame: (one: FunctionDefinition, other: FunctionDefinition) => boolean,
): ReadDefinition | undefined {
  if (typeof definition !== 'object' || definition === null) return undefined;
  const { description, tools: given } = definition as Partial<ToolGroupDefinition>;
  if (typeof description !== 'string' || !Array.isArray(given)) return undefined;
  const tools = new Map<string, FunctionDefinition>();
  const repeated: string[] = [];
  const warnings: ToolWarning[] = [];
  for (const one of given as readonly unknown[]) {
    checkJsonValue(one, 'the tool');
    const tool = frozen(JSON.parse(JSON.stringify(one)) as unknown);
    if (!isFunctionDefinition(tool)) return undefined;
    const { name } = tool.function;
    const known = tools.get(name);
    const problem = known === undefined ? problemOf(tool) : undefined;
    if (problem !== undefined) warnings.push({ toolName: name, message: problem });
    if (known === undefined) tools.set(name, tool);
    else if (!isSame(known, tool)) repeated.push(name);
  }
  return { description, tools, repeated, warnings };
}

function isFunctionDefinition(value: unknown): value is FunctionDefinition {
  const { function: described } = (value ?? {}) as { readonly function?: { readonly name?: unknown } };
  return typeof described?.name === 'string' && described.name !== '';
}

/** The reason why no session can use the tool; the same check as when it is used. */
function problemOf(definition: FunctionDefinition): string | undefined {
  try {
    functionTool(definition, () => undefined);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
