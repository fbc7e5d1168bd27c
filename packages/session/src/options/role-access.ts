import { type Logger, ValidationError } from '@x/core';
import { knownNames } from '@x/core/internal';
import { isKeyed } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import { contextStatus, requestCompaction } from '@x/handlers';
import { BUILTIN_TOOL_GROUPS, type Role, type ToolGroupManager } from '@x/tool-groups';
import { checkRole } from '@x/tool-groups/internal';
import { runtimeTools } from '@x/tools';
import { ASK_USER } from '../questions/ask-user.ts';

/** Groups that may change while the session lasts; a `ToolGroupManager` is one. */
export type LiveToolGroups = Pick<ToolGroupManager, 'isToolInGroups' | 'getAllGroupIds'>;
/** The names of the tools of each group, by the group's id. */
export type NamedToolGroups = Readonly<
  Record<string, { readonly description: string; readonly tools: readonly string[] }>
>;
/** Assigns tools to groups. */
export type ToolGroups = LiveToolGroups | NamedToolGroups;

interface RoleOptions {
  readonly askUser?: boolean;
  readonly role?: Role;
  readonly toolGroups?: ToolGroups;
}

/** Further keys of a group are the host's own. */
const NAMED = is.recordOf(
  is.rule('{ description, tools }', isKeyed, (group, path) => {
    const { description, tools } = group as { readonly description?: unknown; readonly tools?: unknown }; // safe: read as unknown
    checkValue(`${path}.description`, description, is.required(is.text));
    checkValue(`${path}.tools`, tools, is.required(is.texts));
  }),
  'a ToolGroupManager or a record of { description, tools }',
);

/** @throws ValidationError for an invalid role or invalid groups, a role that is not active, and an unknown group */
export function checkRoleOptions({ role, toolGroups }: RoleOptions): void {
  if (toolGroups !== undefined && role === undefined) {
    const message = 'toolGroups has no effect without role; leave it out, or say whose groups they are';
    throw new ValidationError(message, 'toolGroups');
  }
  if (role === undefined) return;
  const { name, status, toolGroups: wanted = [] } = checkRole(role, 'role');
  if (status !== 'active') {
    throw new ValidationError(`The role ${name} is ${status}; activate it, or give another`, 'role.status');
  }
  if (toolGroups === undefined || !isLive(toolGroups)) checkNamed(toolGroups ?? BUILTIN_TOOL_GROUPS, wanted);
}

/** Copies the groups: later changes by the host have no effect. */
export function ownToolGroups(toolGroups: unknown): unknown {
  if (!isKeyed(toolGroups) || isLive(toolGroups as ToolGroups)) return toolGroups;
  const copies = Object.entries(toolGroups).map(([id, group]) => [id, ownGroup(group)] as const);
  return Object.fromEntries(copies);
}

/**
 * Returns a function that is true for tools which may be seen and run; undefined without a role, when every tool may. Call it for each
 * call.
 */
export function roleAccess({
  role,
  toolGroups,
  askUser = false,
}: RoleOptions): ((toolName: string) => boolean) | undefined {
  if (!role) return undefined;
  const isAsking = (name: string) => askUser && name === ASK_USER; // offered by an option of its own
  if (toolGroups && isLive(toolGroups)) {
    return (name) => isAsking(name) || toolGroups.isToolInGroups(name, role.toolGroups ?? toolGroups.getAllGroupIds());
  }
  const groups: NamedToolGroups = toolGroups ?? BUILTIN_TOOL_GROUPS;
  const ids = role.toolGroups ?? Object.keys(groups);
  const names = new Set(ids.flatMap((id) => (Object.hasOwn(groups, id) ? groups[id]!.tools : [])));
  return (name) => isAsking(name) || names.has(name);
}

/** True when the answers of `roleAccess` may change over time. */
export function mayChange({ role, toolGroups }: RoleOptions): boolean {
  return role !== undefined && toolGroups !== undefined && isLive(toolGroups);
}

/** The names that the host has put into groups, to be checked for typos. */
export function groupedNames({ toolGroups }: RoleOptions): readonly string[] {
  if (!toolGroups || isLive(toolGroups)) return [];
  return Object.values(toolGroups).flatMap(({ tools }) => tools);
}

/** The tools of the built-in groups, using the session's own compaction. */
export function sessionRuntimeTools(logger?: Logger): ReturnType<typeof runtimeTools> {
  const context = { status: contextStatus, compress: requestCompaction };
  return runtimeTools({ context, ...(logger ? { logger } : {}) });
}

function isLive(toolGroups: ToolGroups): toolGroups is LiveToolGroups {
  return typeof toolGroups.isToolInGroups === 'function' && typeof toolGroups.getAllGroupIds === 'function';
}

function ownGroup(group: unknown): unknown {
  if (!isKeyed(group)) return group;
  const { tools } = group;
  return { ...group, ...(Array.isArray(tools) ? { tools: [...(tools as readonly unknown[])] } : {}) };
}

function checkNamed(groups: NamedToolGroups, wanted: readonly string[]): void {
  checkValue('toolGroups', groups, NAMED);
  const ids = Object.keys(groups);
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown === undefined) return;
  const hint = ids.length > 0 ? `; ${knownNames(unknown, ids)}` : '';
  throw new ValidationError(`There is no tool group ${unknown}${hint}`, 'role.toolGroups');
}
