import type { Logger, Tool } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { AgentTreeLimits } from './agent-tree-limits.ts';
import type { ToolModule } from './module.ts';
import type { Organization } from './organization.ts';
import type { NamedGroups } from './own-groups.ts';
import type { RoleStore } from './role-store.ts';

/** A module with the configuration for its `init`. */
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
  /** Stores roles; default: in memory. Closed by the host. */
  readonly roles?: RoleStore;
  /** Runs agents; without it nothing is spawned, sent or ended. Closed by the host. */
  readonly organization?: Organization;
  /**
   * Tools that implement the built-in groups, such as `runtimeTools()`, and groups of the host. One that is in no group when `init` is done
   * is logged as a warning, `tool_in_no_group`: a group of it may still be registered.
   */
  readonly tools?: readonly Tool[];
  /** Groups of `tools` in addition to the built-in ones, registered before the first module. The host may change them later. */
  readonly toolGroups?: NamedGroups;
  /** Groups of a role without `toolGroups`. Default: `all`, including those registered later, which is warned about once. */
  readonly defaultToolGroups?: 'all' | readonly string[];
  /** The number of agents, their depth, and the time that the organisation may take. */
  readonly limits?: Partial<AgentTreeLimits>;
  /** Default: silent. */
  readonly logger?: Logger;
}

export const RUNTIME: OptionRules<RuntimeOptions> = {
  config: is.nested<NonNullable<RuntimeOptions['config']>>({ modules: is.list }), // `configured` checks what is in it
  roles: is.anything,
  organization: is.anything,
  tools: is.rule('a list of tools', Array.isArray),
  toolGroups: is.recordOf(
    is.nested<NamedGroups[string]>(
      { description: is.required(is.text), tools: is.required(is.list) },
      '{ description, tools }',
    ),
    'a record of { description, tools }',
  ),
  defaultToolGroups: is.either(is.oneOf('all'), is.texts, "'all' or a list of ids of tool groups"),
  limits: is.anything, // `agentTreeLimits` checks it
  logger: is.anything, // `quietly` checks it
};
const CONFIGURED: OptionRules<ConfiguredModule> = { module: is.anything, config: is.anything };

/** The module and its configuration. @throws ValidationError naming an unknown key */
export function configured(entry: ToolModule | ConfiguredModule, index: number): ConfiguredModule {
  if (typeof entry !== 'object' || entry === null || !Object.hasOwn(entry, 'module')) {
    return { module: entry as ToolModule }; // what is no module is reported when it is loaded
  }
  const path = `config.modules[${index}]`;
  checkOptions(path, entry, CONFIGURED, path);
  return entry as ConfiguredModule; // safe: it has a `module` of its own
}
