import type { Logger } from '@x/core';
import { LONGEST_TIMER_MS, messageOf, quietly } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { type CheckedModule, checkModule } from './check-module.ts';
import { LoadedModule } from './loaded-module.ts';
import type { ModuleFault, ModuleReport, ToolModule } from './module.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { ToolGroupRegistrar } from './tool-group.ts';

/** Where the groups of modules go; `ToolGroupManager` is one. */
export interface ModuleGroups {
  registrar(): ToolGroupRegistrar;
  isToolInGroups(toolName: string, groupIds: readonly string[]): boolean;
}

/** How a `ModuleLoader` is made. */
export interface ModuleLoaderOptions {
  readonly groups: ModuleGroups;
  /** Default: silent. */
  readonly logger?: Logger;
  /** How long `init`, `getToolDefinitions` and `shutdown` of a module may take each, in milliseconds. Default 30000. */
  readonly timeoutMs?: number;
}

const LOADER: OptionRules<ModuleLoaderOptions> = {
  groups: is.anything,
  logger: is.anything, // `quietly` checks it
  timeoutMs: is.count(1, LONGEST_TIMER_MS),
};

/** What runs the tools of a module. */
export interface ModuleTools {
  readonly name: string;
  /** What the module answers. @throws what it throws */
  execute(context: ToolCallContext, toolName: string, args: unknown): Promise<unknown>;
}

/**
 * The modules of a runtime: `init`, groups, calls, `shutdown`. Loading and unloading happen one after the other, in the order of the
 * calls. A module that fails is reported and ended, and stops no other.
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

  /** @throws ValidationError for an unknown option, or a time that is no whole number from 1 */
  constructor(options: ModuleLoaderOptions) {
    checkOptions('ModuleLoader options', options, LOADER);
    const { groups, timeoutMs = 30_000 } = options;
    this.#groups = groups;
    this.#logger = quietly(options.logger);
    this.#timeoutMs = timeoutMs;
  }

  /** The names of the modules that are there, in the order of loading. */
  names(): readonly string[] {
    return [...this.#modules.keys()];
  }

  /** Never rejects: what goes wrong is in the report and in the log. */
  load(module: ToolModule, config?: unknown): Promise<ModuleReport> {
    return this.#inTurn(async () => {
      const report = await this.#load(module, config);
      const { ok, ...facts } = report;
      if (!ok) this.#logger.error(facts, 'module_refused');
      return report;
    });
  }

  /**
   * Takes its groups away, waits for its calls, then calls `shutdown`. False when there is no such module. A `shutdown` that fails
   * is logged; the module is gone all the same.
   */
  unload(name: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const module = this.#modules.get(name);
      if (module) await this.#end(module);
      return module !== undefined;
    });
  }

  /** Unloads all modules, the last one first; what is loaded later is refused. */
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
