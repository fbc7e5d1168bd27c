import type { AgentHandler, Model, RunContext } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { compactionHandler } from '../compaction/compaction-handler.ts';
import type { CompactionOptions } from '../compaction/compaction-options.ts';
import { type FallbackModelOptions, fallbackModelHandler } from '../model-retry/fallback-model-handler.ts';
import { modelRetryHandler } from '../model-retry/model-retry-handler.ts';
import { retryBudget } from '../model-retry/retry-budget.ts';
import { type TelemetryOptions, telemetryHandler } from '../telemetry/telemetry-handler.ts';
import { toolLoopHandler } from '../tool-loop-handler.ts';

/** Options of `standardHandlers`. */
export interface StandardHandlersOptions {
  /** The model of a run: its window counts for compaction, and it writes the summary. A function is called each time. */
  readonly model: Model | ((run: RunContext) => Model);
  /** Takes over for the rest of a run when `model` still fails after its retries; a list as for `fallbackModelHandler`. */
  readonly fallbackModel?: Model | readonly FallbackModelOptions[];
  /** Milliseconds that one run and its subagents may spend on retries; default that of `retryBudget`. */
  readonly retryBudgetMs?: number;
  /** Spans of each run; default: no spans. */
  readonly telemetry?: TelemetryOptions;
  /** The handler of the answer's format, such as `outputFormatHandler`: outermost, so that all others see the request for it. */
  readonly output?: AgentHandler;
  /** The host's handlers, in list order: the guards still judge what they rewrite. */
  readonly handlers?: readonly AgentHandler[];
  /** Handlers that judge calls, such as `permissionHandler`, hooks and lists of tools, in list order. */
  readonly guards?: readonly AgentHandler[];
  /** Options of the compaction that differ from the default. */
  readonly compaction?: Omit<CompactionOptions, 'model' | 'inside'>;
}

/** Handlers in order, outside to inside, and the rules of compaction among them, for `compactNow`. */
export interface StandardHandlers {
  readonly handlers: readonly AgentHandler[];
  readonly compaction: CompactionOptions;
}

const MODEL = is.having('a Model, with a stream function', 'stream');
const HANDLER = is.rule('a handler', (value) => typeof value === 'object' && value !== null);
const OPTIONS: OptionRules<StandardHandlersOptions> = {
  model: is.required(is.either(is.callback, MODEL)),
  fallbackModel: is.either(is.list, MODEL, MODEL.duty), // `fallbackModelHandler` checks a list
  retryBudgetMs: is.anything, // `retryBudget` checks it
  telemetry: is.anything, // `telemetryHandler` checks it
  output: HANDLER, // `Pipeline` checks what handlers are made of
  handlers: is.list,
  guards: is.list,
  compaction: is.rule('an object', (value) => typeof value === 'object' && value !== null), // `compactionHandler` checks it
};

/**
 * Creates the handlers of a session, for agents without one: output format, telemetry, tool loop, the host's, guards, compaction, fallback,
 * retries. Without `guards` every call runs. One call creates the handlers of any number of runs. @throws ValidationError for invalid
 * options
 */
export function standardHandlers(options: StandardHandlersOptions): StandardHandlers {
  checkOptions('standardHandlers options', options, OPTIONS);
  const { model, fallbackModel, telemetry, output, handlers = [], guards = [] } = options;
  const fallback =
    fallbackModel && fallbackModelHandler('stream' in fallbackModel ? { model: fallbackModel } : fallbackModel);
  const retry = modelRetryHandler({ budget: retryBudget(options.retryBudgetMs) });
  const inside = fallback ? [fallback, retry] : [retry];
  const compaction: CompactionOptions = {
    ...options.compaction,
    model: (run) => fallback?.activeModel(run) ?? (typeof model === 'function' ? model(run) : model),
    inside,
  };
  const outermost = [...(output ? [output] : []), ...(telemetry ? [telemetryHandler(telemetry)] : [])];
  return {
    handlers: [...outermost, toolLoopHandler(), ...handlers, ...guards, compactionHandler(compaction), ...inside],
    compaction,
  };
}
