import type { Logger } from '@x/core';
import { LONGEST_TIMER_MS, messageOf, quietly } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { type CheckedModule, checkModule } from './check-module.ts';
import { LoadedModule } from './loaded-module.ts';
import type { ModuleFault, ModuleReport, ToolModule } from './module.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { ToolGroupRegistrar } from './tool-group.ts';

/** Holds the groups of modules; `ToolGroupManager` is one. */
export interface ModuleGroups {
  registrar(): ToolGroupRegistrar;
  isToolInGroups(toolName: string, groupIds: readonly string[]): boolean;
}

/** Options of a `ModuleLoader`. */
export interface ModuleLoaderOptions {
  readonly groups: ModuleGroups;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Milliseconds that each of `init`, `getToolDefinitions` and `shutdown` of a module may take. Default 30000. */
  readonly timeoutMs?: number;
}

const LOADER: OptionRules<ModuleLoaderOptions> = {
  groups: is.anything,
  logger: is.anything, // `quietly` checks it
  timeoutMs: is.count(1, LONGEST_TIMER_MS),
};

/** Runs the tools of a module. */
export interface ModuleTools {
  readonly name: string;
  /** The module's answer. @throws its errors */
  execute(context: ToolCallContext, toolName: string, args: unknown): Promise<unknown>;
}

/**
 * The modules of a runtime: `init`, groups, calls, `shutdown`. Loading and unloading happen one after the other, in the order of the calls.
 * A module that fails is reported and ended, and stops no other.
 */
export class ModuleLoader {
  readonly #groups: ModuleGroups;
  readonly #logger: Logger;
  readonly #timeoutMs: number;
  /** In the order of loading. */
  readonly #modules = new Map<string, LoadedModule>();
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  /** @throws ValidationError for an unknown option, or a time that is not a whole number from 1 */
  constructor(options: ModuleLoaderOptions) {
    checkOptions('ModuleLoader options', options, LOADER);
    const { groups, timeoutMs = 30_000 } = options;
    this.#groups = groups;
    this.#logger = quietly(options.logger);
    this.#timeoutMs = timeoutMs;
  }

  /** The names of the loaded modules, in the order of loading. */
  names(): readonly string[] {
    return [...this.#modules.keys()];
  }

  /** Loads a module. Never rejects: errors are in the report and in the log. */
  load(module: ToolModule, config?: unknown): Promise<ModuleReport> {
    return this.#inTurn(async () => {
      const report = await this.#load(module, config);
      const { ok, ...facts } = report;
      if (!ok) this.#logger.error(facts, 'module_refused');
      return report;
    });
  }

  /**
   * Removes its groups, waits for its calls, then calls `shutdown`. False for an unknown module. A `shutdown` that fails is logged; the
   * module is unloaded anyway.
   */
  unload(name: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const module = this.#modules.get(name);
      if (module) await this.#end(module);
      return module !== undefined;
    });
  }

  /** Unloads all modules, the last one first; refuses to load any more. */
  shutdown(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= this.#inTurn(async () => {
      for (const module of [...this.#modules.values()].toReversed()) await this.#end(module);
    });
    return this.#closed;
  }

  /** The latest module that has the tool in one of these groups. */
  moduleFor(toolName: string, groupIds: readonly string[]): ModuleTools | undefined {
    const allowed = new Set(groupIds);
    return [...this.#modules.values()].findLast((module) => {
      const own = module.groupIds().filter((id) => allowed.has(id));
      return this.#groups.isToolInGroups(toolName, own);
    });
  }

  async #load(given: ToolModule, config: unknown): Promise<ModuleReport> {
    const checked = checkModule(given);
    if ('problem' in checked) return fault({}, 'invalid_module', checked.problem);
    const { name, groupId } = checked;
    if (this.#closed) return fault(checked, 'modules_closed', 'The runtime is shut down and loads no modules');
    if (this.#modules.has(name) || this.#isTaken(groupId)) {
      return fault(
        checked,
        'duplicate_module',
        `There is a module ${name}, or one with the group ${groupId}; unload it first`,
      );
    }
    const module = this.#newModule(checked);
    this.#modules.set(name, module);
    const report = await this.#start(module, { checked, config });
    if (!report.ok) await this.#end(module);
    return report;
  }

  async #start(
    module: LoadedModule,
    { checked, config }: { readonly checked: CheckedModule; readonly config: unknown },
  ): Promise<ModuleReport> {
    const { name, groupId } = checked;
    const { signal } = this.#closing;
    let failing: ModuleFault = 'module_init_failed';
    try {
      await module.init(config, signal);
      failing = 'module_definitions_failed';
      const answer = await module.register(signal);
      if (answer.ok) return { ...answer, name, groupId };
      return fault(checked, answer.error, `The group ${groupId} of module ${name} was refused: ${answer.error}`);
    } catch (error) {
      return { ...fault(checked, failing, `The module ${name} did not start: ${messageOf(error)}`), cause: error };
    }
  }

  #newModule(checked: CheckedModule): LoadedModule {
    return new LoadedModule(checked, {
      registrar: this.#groups.registrar(),
      isTaken: (groupId) => this.#isTaken(groupId, checked.name),
      logger: this.#logger,
      timeoutMs: this.#timeoutMs,
    });
  }

  #isTaken(groupId: string, except?: string): boolean {
    return [...this.#modules.values()].some((module) => module.name !== except && module.groupIds().includes(groupId));
  }

  async #end(module: LoadedModule): Promise<void> {
    this.#modules.delete(module.name);
    await module.end().catch((error: unknown) => {
      this.#logger.error({ module: module.name, error }, 'module_not_shut_down');
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined); // its caller has it
    return turn;
  }
}

function fault(named: { readonly name?: string }, error: ModuleFault, message: string): ModuleReport & { ok: false } {
  return { ok: false, name: named.name ?? '', error, message };
}
