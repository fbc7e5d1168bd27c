import type { Message, RunContext } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { runNote } from '../run-note.ts';

/** How full the context of a run was at its last model call. */
export interface ContextStatus {
  readonly messages: number;
  /** About how many tokens the request had, instruction and tools included. */
  readonly tokens: number;
  /** Tokens that fit; absent where the model does not know. */
  readonly contextWindow?: number;
}
/** What a compaction that somebody in the run asks for is to heed. */
export interface CompactionWish {
  /** Appended to the instruction for the summary. */
  readonly instructions?: string;
}

const WISH: OptionRules<CompactionWish> = { instructions: is.text };

/** What the compaction handler has seen last of each run. */
const seen = new WeakMap<RunContext, () => ContextStatus>();

/** What a `compactionHandler` knows of the run; undefined before its first model call, and where there is no such handler. */
export function contextStatus(run: RunContext): ContextStatus | undefined {
  return seen.get(run)?.();
}

/**
 * Asks the `compactionHandler` of the run to compact the history before the next model call, however short it is. Survives a crash;
 * a run that ends before makes it void. Of several wishes in one turn the last one counts. Resolves when the wish is durable.
 * @throws ValidationError for a wish that is none
 */
export async function requestCompaction(run: RunContext, wish: CompactionWish = {}): Promise<void> {
  checkOptions('A wish for compaction', wish, WISH);
  const { instructions } = wish;
  await noteOf(run).set(instructions === undefined ? {} : { instructions });
}

/** The wish that waits, if one does. */
export function waitingWish(run: RunContext): CompactionWish | undefined {
  return noteOf(run).get() ?? undefined;
}

/** The wish has had its chance. */
export async function wishDone(run: RunContext): Promise<void> {
  await noteOf(run).set(null);
}

/** Keeps what is about to be sent, for `contextStatus`. */
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
