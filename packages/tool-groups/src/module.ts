import type { Logger } from '@x/core';
import type { GivenFunctionDefinition } from '@x/registry';
import type { ToolCallContext } from './tool-call-context.ts';
import type { ToolGroupError, ToolGroupRegistrar, ToolWarning } from './tool-group.ts';

/** A group of tools from outside: their definitions, and what runs them. */
export interface ToolModule {
  readonly name: string;
  /** The id of its group; default: its name. */
  readonly toolGroupId?: string;
  /** Default: its name. */
  readonly toolGroupDescription?: string;
  getToolDefinitions(): readonly GivenFunctionDefinition[];
  /** `context` and `args` are the caller's, unchanged. What it throws becomes the error of the call. */
  executeToolCall(context: ToolCallContext, toolName: string, args: unknown): unknown;
  init(runtime: ModuleRuntime, config: unknown): void | Promise<void>;
  /** Also called after an `init` that failed or whose group was refused, so that nothing stays open. */
  shutdown(): void | Promise<void>;
}

/** What a module is given to begin with. */
export interface ModuleRuntime {
  /** For groups beside its own one; they end with the module, and their calls go to it. */
  readonly toolGroups: ToolGroupRegistrar;
  readonly logger: Logger;
  /** Aborted when `init` takes too long and when the module is unloaded. */
  readonly signal: AbortSignal;
}

/** How the loading of one module ended. */
export type ModuleReport =
  | {
      readonly ok: true;
      readonly name: string;
      readonly groupId: string;
      readonly warning?: string;
      /** Definitions of its own group that cannot become tools; absent when there are none. */
      readonly warnings?: readonly ToolWarning[];
    }
  | {
      readonly ok: false;
      readonly name: string;
      readonly error: ModuleFault;
      readonly message: string;
      readonly cause?: unknown;
    };

/** Why a module is not there: one of ours, or what the manager said of its group, such as `reserved_group_id`. */
export type ModuleFault =
  | 'invalid_module'
  | 'duplicate_module'
  | 'module_init_failed'
  | 'module_definitions_failed'
  | 'modules_closed'
  | ToolGroupError;
