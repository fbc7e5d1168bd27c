import type { FunctionDefinition, GivenFunctionDefinition } from '@x/registry';

/**
 * The registered data: a text for people and the tools. Further fields are allowed and dropped, so a `ToolGroup` may be passed in again.
 */
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

/** A group in `listGroups`. */
export interface ToolGroupInfo {
  readonly id: string;
  readonly description: string;
  /** The number of different names. */
  readonly toolCount: number;
  readonly tools: readonly string[];
}

/** The reason why a group was refused. */
export type ToolGroupError =
  | 'reserved_group_id'
  | 'reservation_not_allowed'
  | 'invalid_group_def'
  | 'tool_conflict'
  | 'cannot_unregister_reserved'
  | 'group_not_found'
  | 'group_not_owned';

/** A definition that no session can use as a tool: a runtime neither lists nor runs it. */
export interface ToolWarning {
  readonly toolName: string;
  /** The reason, with the field. */
  readonly message: string;
}

/** The manager's answer; it never throws. */
export type ToolGroupAnswer =
  | {
      readonly ok: true;
      readonly error?: undefined;
      /** A group of this id was replaced. */
      readonly warning?: 'duplicate_group_id';
      /** Definitions that cannot become tools; absent without any. */
      readonly warnings?: readonly ToolWarning[];
    }
  | { readonly ok: false; readonly error: ToolGroupError; readonly warning?: undefined; readonly warnings?: undefined };

/** A module's access to a manager: it can neither reserve an id nor change a group of another party. */
export interface ToolGroupRegistrar {
  /** Like the manager's, but never reserved. */
  registerGroup(groupId: string, definition: ToolGroupDefinition): ToolGroupAnswer;
  /** Removes only groups that this registrar registered and nobody has replaced since. */
  unregisterGroup(groupId: string): ToolGroupAnswer;
  /** The ids of the groups that this registrar still owns, in the order of their registration. */
  groupIds(): string[];
}
