import { type Logger, ValidationError } from '@x/core';
import type { ModuleReport } from './module.ts';
import type { ModuleLoader } from './module-loader.ts';
import { OrganizationError } from './organization-error.ts';
import type { RoleBook } from './role-book.ts';
import type { ConfiguredModule } from './runtime-options.ts';
import type { ToolGroupDefinition } from './tool-group.ts';
import type { ToolGroupManager } from './tool-group-manager.ts';

type NamedGroup = readonly [id: string, definition: ToolGroupDefinition];

/** What is made ready, and what with. */
export interface RuntimeParts {
  readonly roles: RoleBook;
  readonly groups: ToolGroupManager;
  readonly modules: ModuleLoader;
  readonly builtinGroups: readonly NamedGroup[];
  readonly ownGroups: readonly NamedGroup[];
  readonly configured: readonly ConfiguredModule[];
  /** Names of the host's tools; one that is in no group is warned about. */
  readonly toolNames: readonly string[];
  readonly logger: Logger;
}

/** Start and end of a runtime; in between it is ready. */
export class RuntimeLifecycle {
  readonly #parts: RuntimeParts;
  readonly #registered = new Set<ToolGroupDefinition>();
  readonly #reports: ModuleReport[] = [];
  readonly #ending = new AbortController();
  #started: Promise<void> | undefined;
  #ended: Promise<void> | undefined;
  #isReady = false;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  /** Aborted when the end begins. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** @throws OrganizationError before the start is done, and from the end on */
  checkReady(): void {
    if (this.#ended) throw closed();
    if (this.#isReady) return;
    throw new OrganizationError('The runtime is not ready; await init() first', { code: 'RUNTIME_NOT_READY' });
  }

  /** The results of loading the modules of the configuration, in their order. */
  moduleReports(): readonly ModuleReport[] {
    return [...this.#reports];
  }

  /**
   * Reads the roles, registers the groups, loads the modules. A second call returns the same start; after a failure it continues where it
   * was.
   */
  async start(): Promise<void> {
    if (this.#ended) throw closed();
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined; // it may be tried again
      throw error;
    });
    await this.#started;
  }

  /** Aborts `signal` and shuts the modules down. A second call returns the same end. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #start(): Promise<void> {
    const { roles, modules, configured } = this.#parts;
    await roles.load();
    this.#registerGroups();
    for (const { module, config } of configured) this.#reports.push(await modules.load(module, config));
    this.#warnOfLostTools();
    this.#isReady = this.#ended === undefined;
  }

  async #end(): Promise<void> {
    this.#isReady = false;
    this.#ending.abort();
    await this.#parts.modules.shutdown();
  }

  #registerGroups(): void {
    const { groups, builtinGroups, ownGroups } = this.#parts;
    for (const group of builtinGroups) {
      const refusal = this.#refusalOf(group, true);
      if (refusal === undefined) continue;
      throw new ValidationError(
        `The built-in group ${group[0]} was refused: ${refusal}; register own groups after init`,
      );
    }
    groups.seal();
    for (const group of ownGroups) {
      const refusal = this.#refusalOf(group, false);
      if (refusal === undefined) continue;
      throw new ValidationError(`The tool group ${group[0]} was refused: ${refusal}`, 'toolGroups');
    }
  }

  /** Registers the group, unless an earlier attempt has. */
  #refusalOf([id, definition]: NamedGroup, isReserved: boolean): string | undefined {
    if (this.#registered.has(definition)) return undefined;
    const answer = this.#parts.groups.registerGroup(id, definition, isReserved);
    if (!answer.ok) return answer.error;
    this.#registered.add(definition);
    return undefined;
  }

  #warnOfLostTools(): void {
    const { groups, toolNames, logger } = this.#parts;
    for (const toolName of toolNames) {
      if (groups.getToolGroup(toolName) === null) logger.warn({ toolName }, 'tool_in_no_group');
    }
  }
}

function closed(): OrganizationError {
  return new OrganizationError('The runtime is shut down; make another', { code: 'RUNTIME_CLOSED' });
}
