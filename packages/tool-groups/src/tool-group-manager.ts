import type { Logger } from '@x/core';
import { quietly } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { FunctionDefinition } from '@x/registry';
import { type ReadDefinition, readDefinition } from './read-definition.ts';
import type {
  ToolGroup,
  ToolGroupAnswer,
  ToolGroupDefinition,
  ToolGroupError,
  ToolGroupInfo,
  ToolGroupRegistrar,
} from './tool-group.ts';

/** Options of a manager. */
export interface ToolGroupManagerOptions {
  /** Default: silent. */
  readonly logger?: Logger;
}

const OPTIONS: OptionRules<ToolGroupManagerOptions> = { logger: is.anything }; // `quietly` checks it

interface Stored {
  readonly group: ToolGroup;
  readonly tools: ReadonlyMap<string, FunctionDefinition>;
  /** Counts registrations: the latest group of a tool has the highest number. */
  readonly order: number;
  /** The registrar that registered it; absent: the owner of the manager. */
  readonly owner?: ToolGroupRegistrar;
}

/** Maximum number of ids remembered for warnings; nobody reads more. */
const MOST_UNKNOWN = 1_000;

/**
 * Groups of tools by id. A tool may be in several groups with equal definitions. Errors are answers, never thrown; returned values are
 * copies or frozen.
 */
export class ToolGroupManager {
  readonly #logger: Logger;
  readonly #groups = new Map<string, Stored>();
  readonly #groupsOf = new Map<string, Set<string>>();
  /** Ids that were warned about. */
  readonly #unknown = new Set<string>();
  /** Names of tools that no session can use. */
  readonly #unusable = new Set<string>();
  #registrations = 0;
  #sealed = false;

  /** @throws ValidationError for an unknown option, or an invalid logger */
  constructor(options: ToolGroupManagerOptions = {}) {
    checkOptions('ToolGroupManager options', options, OPTIONS);
    this.#logger = quietly(options.logger);
  }

  /**
   * Registers a group. A known id that is not reserved is replaced, in its place, with a warning. Refused, in this order: a reserved id,
   * reserving after `seal`, an invalid definition, a tool that another group defines differently. A tool that no session can use is in the
   * warnings.
   */
  registerGroup(groupId: string, definition: ToolGroupDefinition, isReserved = false): ToolGroupAnswer {
    return this.#register(groupId, definition, { isReserved: isReserved === true });
  }

  /** Removes a group; tools that no other group has are removed too. */
  unregisterGroup(groupId: string): ToolGroupAnswer {
    const stored = this.#groups.get(groupId);
    if (!stored) return refuseGroup('group_not_found');
    if (stored.group.isReserved) return refuseGroup('cannot_unregister_reserved');
    this.#forget(stored);
    this.#groups.delete(groupId);
    return { ok: true };
  }

  /**
   * Replaces the definition of a group, also of a reserved one, which keeps its place and stays reserved. Agents see it at their next run.
   */
  updateGroup(groupId: string, definition: ToolGroupDefinition): ToolGroupAnswer {
    const stored = this.#groups.get(groupId);
    if (!stored) return refuseGroup('group_not_found');
    const read = this.#read(groupId, definition);
    if (typeof read === 'string') return refuseGroup(read);
    this.#keep({ ...stored, tools: read.tools, group: groupOf(stored.group, read) }, read);
    return registered(read);
  }

  /** Prevents any further reservation. */
  seal(): void {
    this.#sealed = true;
  }

  /**
   * Creates a registrar for a party that may add its own groups, but neither reserve ids nor change the groups of others, except by
   * replacing one.
   */
  registrar(): ToolGroupRegistrar {
    const owner: ToolGroupRegistrar = {
      registerGroup: (groupId, definition) => this.#register(groupId, definition, { isReserved: false, owner }),
      unregisterGroup: (groupId) => {
        const stored = this.#groups.get(groupId);
        if (stored && !stored.group.isReserved && stored.owner !== owner) return refuseGroup('group_not_owned');
        return this.unregisterGroup(groupId);
      },
      groupIds: () => this.getAllGroupIds().filter((id) => this.#groups.get(id)?.owner === owner),
    };
    return Object.freeze(owner);
  }

  /** The tools of these groups, each name once, in the order of the ids; an unknown id is skipped, and logged as a warning the first time. */
  getToolDefinitions(groupIds: readonly string[]): FunctionDefinition[] {
    const found = new Map<string, FunctionDefinition>();
    for (const groupId of listOf(groupIds)) {
      const stored = this.#groups.get(groupId);
      if (!stored) this.#warnOfUnknown(groupId);
      for (const [name, tool] of stored?.tools ?? []) if (!found.has(name)) found.set(name, tool);
    }
    return [...found.values()];
  }

  /** Every group, in the order of registration. */
  listGroups(): ToolGroupInfo[] {
    return [...this.#groups.values()].map(({ group: { id, description }, tools }) => ({
      id,
      description,
      toolCount: tools.size,
      tools: [...tools.keys()],
    }));
  }

  /** The present state of one group. */
  getGroup(groupId: string): ToolGroup | undefined {
    return this.#groups.get(groupId)?.group;
  }

  /** The most recently registered group with the tool; null without one. */
  getToolGroup(toolName: string): string | null {
    return this.getToolGroups(toolName).at(-1) ?? null;
  }

  /** Every group with the tool, the most recently registered last. */
  getToolGroups(toolName: string): string[] {
    const groups = this.#groupsOf.get(toolName);
    if (groups === undefined || groups.size === 1) return [...(groups ?? [])];
    const stored = [...groups].flatMap((id) => this.#groups.get(id) ?? []);
    return stored.toSorted((one, other) => one.order - other.order).map(({ group }) => group.id);
  }

  /** True when one of the groups has the tool. */
  isToolInGroups(toolName: string, groupIds: readonly string[]): boolean {
    const groups = this.#groupsOf.get(toolName);
    return groups !== undefined && listOf(groupIds).some((id) => groups.has(id));
  }

  /** True when the definition of a registered tool is valid for a session: its name, its schema, its fields. */
  canBecomeTool(toolName: string): boolean {
    return this.#groupsOf.has(toolName) && !this.#unusable.has(toolName);
  }

  /** In the order of registration. */
  getAllGroupIds(): string[] {
    return [...this.#groups.keys()];
  }

  /** Warns once for each id: agents ask at every run. */
  #warnOfUnknown(groupId: string): void {
    if (this.#unknown.has(groupId) || this.#unknown.size >= MOST_UNKNOWN) return;
    this.#unknown.add(groupId);
    this.#logger.warn({ groupId }, 'tool_group_unknown');
  }

  #register(
    groupId: string,
    definition: ToolGroupDefinition,
    { isReserved, owner }: { readonly isReserved: boolean; readonly owner?: ToolGroupRegistrar },
  ): ToolGroupAnswer {
    const before = this.#groups.get(groupId);
    if (before?.group.isReserved) return refuseGroup('reserved_group_id');
    if (isReserved && this.#sealed) return refuseGroup('reservation_not_allowed');
    const read = this.#read(groupId, definition);
    if (typeof read === 'string') return refuseGroup(read);
    const group = groupOf({ id: groupId, isReserved, registeredAt: new Date().toISOString() }, read);
    this.#registrations += 1;
    this.#keep({ group, tools: read.tools, order: this.#registrations, ...(owner ? { owner } : {}) }, read);
    if (!before) return registered(read);
    this.#logger.warn({ groupId }, 'tool_group_replaced');
    return { ...registered(read), warning: 'duplicate_group_id' };
  }

  /** The definition, or the reason why it is refused. */
  #read(groupId: unknown, definition: unknown): ReadDefinition | 'invalid_group_def' | 'tool_conflict' {
    const { isDeepStrictEqual } = process.getBuiltinModule('node:util'); // its import would load what nobody here needs
    const read = readDefinition(definition, isDeepStrictEqual);
    if (typeof groupId !== 'string' || groupId === '' || !read) return 'invalid_group_def';
    for (const [name, tool] of read.tools) {
      const others = [...(this.#groupsOf.get(name) ?? [])].filter((id) => id !== groupId);
      const differs = others.some((id) => !isDeepStrictEqual(this.#groups.get(id)?.tools.get(name), tool));
      if (differs) return 'tool_conflict';
    }
    return read;
  }

  #keep(stored: Stored, { repeated, warnings }: ReadDefinition): void {
    const { id } = stored.group;
    const before = this.#groups.get(id);
    if (before) this.#forget(before);
    this.#groups.set(id, stored);
    for (const name of stored.tools.keys()) {
      const groups = this.#groupsOf.get(name) ?? new Set();
      this.#groupsOf.set(name, groups.add(id));
    }
    for (const warning of warnings) this.#unusable.add(warning.toolName);
    for (const warning of warnings) this.#logger.warn({ groupId: id, ...warning }, 'tool_definition_refused');
    for (const toolName of repeated) this.#logger.warn({ groupId: id, toolName }, 'tool_defined_twice_in_group');
  }

  #forget({ group, tools }: Stored): void {
    for (const name of tools.keys()) {
      const groups = this.#groupsOf.get(name);
      groups?.delete(group.id);
      if (groups?.size !== 0) continue;
      this.#groupsOf.delete(name);
      this.#unusable.delete(name);
    }
  }
}

function groupOf(
  { id, isReserved, registeredAt }: Pick<ToolGroup, 'id' | 'isReserved' | 'registeredAt'>,
  { description, tools }: ReadDefinition,
): ToolGroup {
  return Object.freeze({ id, description, tools: Object.freeze([...tools.values()]), isReserved, registeredAt });
}

function registered({ warnings }: ReadDefinition): ToolGroupAnswer & { readonly ok: true } {
  return { ok: true, ...(warnings.length > 0 ? { warnings } : {}) };
}

function refuseGroup(error: ToolGroupError): ToolGroupAnswer {
  return { ok: false, error };
}

/** An invalid list counts as empty. */
function listOf(groupIds: unknown): readonly string[] {
  return Array.isArray(groupIds) ? (groupIds as readonly string[]) : [];
}
