import { checkKeys, type Logger, type Tool, ValidationError } from '@x/core';
import type { AgentTreeLimits } from './agent-tree-limits.ts';
import type { ToolModule } from './module.ts';
import type { Organization } from './organization.ts';
import type { NamedGroups } from './own-groups.ts';
import type { RoleStore } from './role-store.ts';

/** A module with what its `init` is given. */
export interface ConfiguredModule {
  readonly module: ToolModule;
  readonly config?: unknown;
}

/** Options of a runtime. */
export interface RuntimeOptions {
  readonly config?: {
    /** Loaded by `init`, in this order; one that fails does not stop the others. */
    readonly modules?: readonly (ToolModule | ConfiguredModule)[];
  };
  /** Where roles are kept; default: in memory. It stays the host's to close. */
  readonly roles?: RoleStore;
  /** Who runs agents; without one nothing is spawned, sent or ended. It stays the host's to close. */
  readonly organization?: Organization;
  /**
   * What runs the tools of the built-in groups, such as `runtimeTools()`, and those of groups the host registers. One that is in no group
   * when `init` is done is logged as a warning, `tool_in_no_group`: a group of it may still be registered.
   */
  readonly tools?: readonly Tool[];
  /** Groups of `tools` beside the built-in ones, there before the first module. The host may change them later. */
  readonly toolGroups?: NamedGroups;
  /** What a role without `toolGroups` gets. Default: `all`, those registered later included, which is warned about once. */
  readonly defaultToolGroups?: 'all' | readonly string[];
  /** How many agents there may be, how deep, and how long the organisation may take. */
  readonly limits?: Partial<AgentTreeLimits>;
  /** Default: silent. */
  readonly logger?: Logger;
}

const KNOWN: readonly (keyof RuntimeOptions)[] = [
  'config',
  'roles',
  'organization',
  'tools',
  'toolGroups',
  'defaultToolGroups',
  'limits',
  'logger',
];

/** @throws ValidationError naming the option that does not fit */
export function checkRuntimeOptions(options: RuntimeOptions): void {
  checkKeys('Runtime options', options, KNOWN);
  const { config, tools, defaultToolGroups: groups } = options;
  if (config !== undefined) {
    checkKeys('The config of a runtime', config, ['modules']);
    if (config.modules !== undefined && !Array.isArray(config.modules)) throw wrong('config.modules', 'a list');
  }
  if (tools !== undefined && !Array.isArray(tools)) throw wrong('tools', 'a list of tools');
  const isGroups = groups === undefined || groups === 'all' || (Array.isArray(groups) && groups.every(isText));
  if (!isGroups) throw wrong('defaultToolGroups', "'all' or a list of ids of tool groups");
}

/** The module and its configuration. @throws ValidationError naming what is no part of it */
export function configured(entry: ToolModule | ConfiguredModule): ConfiguredModule {
  if (typeof entry !== 'object' || entry === null || !Object.hasOwn(entry, 'module')) {
    return { module: entry as ToolModule }; // what is no module is reported when it is loaded
  }
  checkKeys('A module of the config', entry, ['module', 'config']);
  return entry as ConfiguredModule; // safe: it has a `module` of its own
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function wrong(field: string, expected: string): ValidationError {
  return new ValidationError(`${field} must be ${expected}`, field);
}
