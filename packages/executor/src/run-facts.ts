import type { AgentConfig, Model, RunContext } from '@x/core';
import type { AskedOptions } from './asked-options.ts';
import type { RunOptions } from './run-options.ts';

/** Facts of a run under way, for tools that start runs. */
export interface RunFacts {
  readonly options: RunOptions;
  /** The configuration after the handlers' `beforeAgent`. */
  readonly config: AgentConfig;
  readonly asked: AskedOptions;
}

const facts = new WeakMap<RunContext, RunFacts>();
const failures = new WeakMap<RunContext, Map<string, unknown>>();
const modelErrors = new WeakMap<RunContext, Set<unknown>>();

export function rememberRun(run: RunContext, known: RunFacts): void {
  facts.set(run, known);
}

/** Undefined for a context that no `runAgent` has made its own. */
export function factsOfRun(run: RunContext): RunFacts | undefined {
  return facts.get(run);
}

/** Ends the run with `reason` once the calls of the reply are answered; no handler around the call can prevent it. */
export function endRunWith(run: RunContext, callId: string, reason: unknown): void {
  const known = failures.get(run) ?? new Map<string, unknown>();
  known.set(callId, reason);
  failures.set(run, known);
}

/** The error that ends the run because of this call. */
export function failureOfCall(run: RunContext, callId: string): { readonly reason: unknown } | undefined {
  const known = failures.get(run);
  return known?.has(callId) ? { reason: known.get(callId) } : undefined;
}

/** Remembers an error as thrown by the run's model. */
export function noteModelError(run: RunContext, error: unknown): void {
  const known = modelErrors.get(run) ?? new Set();
  known.add(error);
  modelErrors.set(run, known);
}

/** True when the model of the run threw this error, not a handler. */
export function isModelErrorOf(run: RunContext, error: unknown): boolean {
  return modelErrors.get(run)?.has(error) ?? false;
}

/** The model of a run under way; undefined for a context without a `runAgent`. */
export function runningModel(run: RunContext): Model | undefined {
  return facts.get(run)?.options.model;
}
