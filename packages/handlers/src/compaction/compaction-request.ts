import type { Message, RunContext } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { runNote } from '../run-note.ts';

/** Size of a run's context at its last model call. */
export interface ContextStatus {
  readonly messages: number;
  /** Estimated tokens of the request, instruction and tools included. */
  readonly tokens: number;
  /** Tokens that fit; absent for a model with an unknown window. */
  readonly contextWindow?: number;
}
/** A request for a compaction from inside the run. */
export interface CompactionWish {
  /** Appended to the instruction for the summary. */
  readonly instructions?: string;
}

const WISH: OptionRules<CompactionWish> = { instructions: is.text };

/** The status of each run at its last model call. */
const seen = new WeakMap<RunContext, () => ContextStatus>();

/** The status from the `compactionHandler` of the run; undefined before its first model call, and without such a handler. */
export function contextStatus(run: RunContext): ContextStatus | undefined {
  return seen.get(run)?.();
}

/**
 * Requests that the `compactionHandler` of the run compacts the history before the next model call, however short it is. Survives a crash;
 * a run that ends before discards it. Of several requests in one turn the last one counts. Resolves when the request is durable.
 * @throws ValidationError for an invalid request
 */
export async function requestCompaction(run: RunContext, wish: CompactionWish = {}): Promise<void> {
  checkOptions('A wish for compaction', wish, WISH);
  const { instructions } = wish;
  await noteOf(run).set(instructions === undefined ? {} : { instructions });
}

/** The waiting request, if any. */
export function waitingWish(run: RunContext): CompactionWish | undefined {
  return noteOf(run).get() ?? undefined;
}

/** Removes the request after its attempt. */
export async function wishDone(run: RunContext): Promise<void> {
  await noteOf(run).set(null);
}

/** Keeps the request about to be sent, for `contextStatus`. */
export function sees(
  run: RunContext,
  {
    messages,
    tokens,
    window,
  }: { readonly messages: readonly Message[]; readonly tokens: () => number; readonly window: number },
): void {
  const contextWindow = Number.isFinite(window) ? { contextWindow: window } : {};
  seen.set(run, () => ({ messages: messages.length, tokens: tokens(), ...contextWindow }));
}

function noteOf(run: RunContext) {
  return runNote<CompactionWish | null>(run, 'compaction_wish');
}
