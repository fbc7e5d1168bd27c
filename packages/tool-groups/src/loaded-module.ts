import type { Logger } from '@x/core';
import { boundedCall } from './bounded-call.ts';
import type { CheckedModule } from './check-module.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { ToolGroupAnswer, ToolGroupRegistrar } from './tool-group.ts';

/** Environment of a module. */
export interface ModuleSurroundings {
  readonly registrar: ToolGroupRegistrar;
  /** True when a group belongs to another module. */
  readonly isTaken: (groupId: string) => boolean;
  readonly logger: Logger;
  readonly timeoutMs: number;
}

/** One module from start to end: its groups, its signal, and its calls under way. */
export class LoadedModule {
  readonly name: string;
  readonly #checked: CheckedModule;
  readonly #around: ModuleSurroundings;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #life = new AbortController();

  constructor(checked: CheckedModule, around: ModuleSurroundings) {
    this.name = checked.name;
    this.#checked = checked;
    this.#around = around;
  }

  /** The groups that it owns now. */
  groupIds(): readonly string[] {
    return this.#around.registrar.groupIds();
  }

  /** @throws errors of `init`, AbortError, TimeoutError */
  async init(config: unknown, signal: AbortSignal): Promise<void> {
    const { logger } = this.#around;
    const runtime = { toolGroups: this.#registrar(), logger, signal: this.#life.signal };
    await this.#bounded(() => this.#checked.module.init(runtime, config), signal);
  }

  /** Registers its own group. @throws errors of `getToolDefinitions`, AbortError, TimeoutError */
  async register(signal: AbortSignal): Promise<ToolGroupAnswer> {
    const { module, groupId, description } = this.#checked;
    const tools = await this.#bounded(() => module.getToolDefinitions(), signal);
    return this.#registrar().registerGroup(groupId, { description, tools });
  }

  /** The module's answer. @throws its errors */
  async execute(context: ToolCallContext, toolName: string, args: unknown): Promise<unknown> {
    const call = Promise.resolve(this.#checked.module.executeToolCall(context, toolName, args));
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /**
   * Removes its groups first, so that no further call begins, then waits for those under way. @throws errors of `shutdown`, TimeoutError
   */
  async end(): Promise<void> {
    this.#life.abort();
    for (const groupId of this.groupIds()) this.#around.registrar.unregisterGroup(groupId);
    const done = () => Promise.allSettled(this.#calls);
    await this.#bounded(done).catch((error: unknown) => {
      this.#around.logger.warn({ module: this.name, error }, 'module_calls_left');
    });
    await this.#bounded(() => this.#checked.module.shutdown());
  }

  /** The manager's registrar while the module is loaded, without access to the groups of other modules. */
  #registrar(): ToolGroupRegistrar {
    const { registrar, isTaken } = this.#around;
    const { signal } = this.#life;
    return {
      registerGroup: (groupId, definition) =>
        signal.aborted || isTaken(groupId)
          ? { ok: false, error: 'group_not_owned' }
          : registrar.registerGroup(groupId, definition),
      unregisterGroup: (groupId) => registrar.unregisterGroup(groupId),
      groupIds: () => registrar.groupIds(),
    };
  }

  #bounded<T>(call: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return boundedCall(call, {
      who: `The module ${this.name}`,
      signals: [signal],
      timeoutMs: this.#around.timeoutMs,
    }).answer;
  }
}
