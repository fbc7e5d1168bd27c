import type { FunctionDefinition, GivenFunctionDefinition } from '@x/registry';

/** What is registered: a text for people and the tools. Data: further fields are allowed and left out, so a `ToolGroup` may be given back. */
export interface ToolGroupDefinition {
  readonly description: string;
  readonly tools: readonly GivenFunctionDefinition[];
}

/** A registered group. Frozen. */
export interface ToolGroup {
  readonly id: string;
  readonly description: string;
  readonly tools: readonly FunctionDefinition[];
  readonly isReserved: boolean;
  /** ISO 8601. */
  readonly registeredAt: string;
}

/** What `listGroups` tells of a group. */
export interface ToolGroupInfo {
  readonly id: string;
  readonly description: string;
  /** The number of different names. */
  readonly toolCount: number;
  readonly tools: readonly string[];
}

/** Why a group was not taken. */
export type ToolGroupError =
  | 'reserved_group_id'
  | 'reservation_not_allowed'
  | 'invalid_group_def'
  | 'tool_conflict'
  | 'cannot_unregister_reserved'
  | 'group_not_found'
  | 'group_not_owned';

/** A definition that no session could be given as a tool: a runtime neither lists nor runs it. */
export interface ToolWarning {
  readonly toolName: string;
  /** Why, and in which field. */
  readonly message: string;
}

/** What the manager answers; it never throws. */
export type ToolGroupAnswer =
  | {
      readonly ok: true;
      readonly error?: undefined;
      /** A group of this id was replaced. */
      readonly warning?: 'duplicate_group_id';
      /** Definitions that cannot become tools; absent when there are none. */
      readonly warnings?: readonly ToolWarning[];
    }
  | { readonly ok: false; readonly error: ToolGroupError; readonly warning?: undefined; readonly warnings?: undefined };

/** What modules are given of a manager: they can neither reserve an id nor change a group of somebody else. */
export interface ToolGroupRegistrar {
  /** Everything as with the manager, but never reserved. */
  registerGroup(groupId: string, definition: ToolGroupDefinition): ToolGroupAnswer;
  /** Only what this registrar registered and nobody has replaced since. */
  unregisterGroup(groupId: string): ToolGroupAnswer;
  /** The ids of the groups that are still this registrar's, in the order of their registration. */
  groupIds(): string[];
}
