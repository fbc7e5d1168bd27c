import type { Tool, ToolEffect } from '@x/core';
import { quietly } from '@x/core/internal';
import { checkOptions } from '@x/errors/option-rules';
import { Admission } from './admission.ts';
import { EXECUTION, EXECUTOR, type FullLimits, fullLimits } from './check-options.ts';
import { type ExecutableFunction, type Work, workOf } from './executable.ts';
import { type Execution, persevere } from './execution.ts';
import { ExecutionLog } from './execution-log.ts';
import type { ExecutionOptions, ToolExecutorOptions } from './execution-options.ts';
import type { LateSettlement } from './late-settlement.ts';

/** Options of a registry's call. */
export interface InvokeOptions extends Pick<ExecutionOptions, 'signal' | 'idempotencyKey'> {
  /** The name of the tool. */
  readonly tool: string;
  /** Default: `non_idempotent`, the safest. */
  readonly effect?: ToolEffect;
}

/** Runs functions and tools with a timeout, retries, limits and a report of late outcomes. Nothing needs to be closed. */
export class ToolExecutor {
  readonly #options: ToolExecutorOptions;
  readonly #limits: FullLimits;
  readonly #admission: Admission | undefined;
  /** Makes the keys of this executor differ from those of any other. */
  readonly #id: string = crypto.randomUUID();
  #executions = 0;

  /** @throws ValidationError naming an option that is unknown, invalid, or without effect */
  constructor(options: ToolExecutorOptions = {}) {
    checkOptions('ToolExecutor options', options, EXECUTOR);
    const admission = new Admission(options);
    this.#options = { ...options, ...(options.logger === undefined ? {} : { logger: quietly(options.logger) }) };
    this.#limits = fullLimits(options);
    this.#admission = admission.open ? undefined : admission;
  }

  /**
   * Runs the work until it succeeds, its failure is final or its retries are used up; resolves with its value. Never retried are invalid
   * input, aborts, timeouts, and `non_idempotent` work.
   * @throws the error of the last attempt, the same object; TimeoutError; AbortError; RateLimitError when it may not begin; ValidationError
   */
  execute<Input, Output>(
    implementation: ExecutableFunction<Input, Output>,
    parameters: NoInfer<Input>,
    options?: ExecutionOptions,
  ): Promise<Awaited<Output>>;
  execute(implementation: Tool, parameters: unknown, options?: ExecutionOptions): Promise<unknown>;
  async execute(
    implementation: ExecutableFunction<never, unknown> | Tool,
    parameters: unknown,
    options?: ExecutionOptions,
  ): Promise<unknown> {
    if (options !== undefined) checkOptions('Execution options', options, EXECUTION);
    const work = workOf(implementation, parameters, this.#options.workspace);
    return await persevere(this.#executionOf(work, options, implementation));
  }

  /** For `new ToolRegistry({ invoke: executor.invoke })`: the limits of this executor around every tool of the registry. */
  readonly invoke = async (
    implementation: ExecutableFunction<never, unknown>,
    parameters: unknown,
    { effect = 'non_idempotent', ...call }: InvokeOptions,
  ): Promise<unknown> => await this.execute(implementation, parameters as never, { ...call, effect }); // safe: the registry has checked them

  #executionOf(work: Work, options: ExecutionOptions | undefined, implementation: object): Execution {
    const { signal, caller, effect, tool = work.name, idempotencyKey = this.#freshKey() } = options ?? {};
    const limits = options === undefined ? this.#limits : fullLimits(this.#options, options);
    const { logger } = this.#options;
    const log = logger && new ExecutionLog(logger, { tool, caller });
    return {
      work,
      limits,
      retries: work.effect === 'non_idempotent' || effect === 'non_idempotent' ? 0 : limits.retry,
      idempotencyKey,
      applicant: { tool: tool ?? implementation, caller, signal },
      admission: this.#admission,
      log,
      onLate: lateReport(options?.onLateSettlement ?? this.#options.onLateSettlement, tool, log),
    };
  }

  #freshKey(): string {
    this.#executions++;
    return `${this.#id}:${this.#executions}`;
  }
}

/** Tells the listener and the log, whichever there is. Does not throw, whatever the listener does. */
function lateReport(
  listener: ((settlement: LateSettlement) => void) | undefined,
  tool: string | undefined,
  log: ExecutionLog | undefined,
): ((settlement: LateSettlement) => void) | undefined {
  if (!listener) return log && ((settlement) => log.late(settlement));
  return (settlement) => {
    log?.late(settlement);
    try {
      const answer: unknown = listener(tool === undefined ? settlement : { tool, ...settlement });
      if (answer instanceof Promise) answer.catch((error: unknown) => log?.listenerFailed(error));
    } catch (error) {
      log?.listenerFailed(error);
    }
  };
}
