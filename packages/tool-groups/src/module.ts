import type { Logger } from '@x/core';
import type { GivenFunctionDefinition } from '@x/registry';
import type { ToolCallContext } from './tool-call-context.ts';
import type { ToolGroupError, ToolGroupRegistrar, ToolWarning } from './tool-group.ts';

/** A group of tools from outside: their definitions, and the code that runs them. */
export interface ToolModule {
  readonly name: string;
  /** The id of its group; default: its name. */
  readonly toolGroupId?: string;
  /** Default: its name. */
  readonly toolGroupDescription?: string;
  getToolDefinitions(): readonly GivenFunctionDefinition[];
  /** `context` and `args` are the caller's, unchanged. An error that it throws becomes the error of the call. */
  executeToolCall(context: ToolCallContext, toolName: string, args: unknown): unknown;
  init(runtime: ModuleRuntime, config: unknown): void | Promise<void>;
  /** Also called after an `init` that failed or whose group was refused, so that nothing stays open. */
  shutdown(): void | Promise<void>;
}

/** Passed to `init` of a module. */
export interface ModuleRuntime {
  /** For groups in addition to its own; they end with the module, and their calls go to it. */
  readonly toolGroups: ToolGroupRegistrar;
  readonly logger: Logger;
  /** Aborted when `init` takes too long and when the module is unloaded. */
  readonly signal: AbortSignal;
}

/** The result of loading one module. */
export type ModuleReport =
  | {
      readonly ok: true;
      readonly name: string;
      readonly groupId: string;
      readonly warning?: string;
      /** Definitions of its own group that cannot become tools; absent without any. */
      readonly warnings?: readonly ToolWarning[];
    }
  | {
      readonly ok: false;
      readonly name: string;
      readonly error: ModuleFault;
      readonly message: string;
      readonly cause?: unknown;
    };

/** The reason why a module was not loaded: one of ours, or the manager's error for its group, such as `reserved_group_id`. */
export type ModuleFault =
  | 'invalid_module'
  | 'duplicate_module'
  | 'module_init_failed'
  | 'module_definitions_failed'
  | 'modules_closed'
  | ToolGroupError;
