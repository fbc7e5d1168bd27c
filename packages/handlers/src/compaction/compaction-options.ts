import { type AgentHandler, checkKeys, type Message, type Model, type RunContext, ValidationError } from '@x/core';
import { checkWhole } from '../check-number.ts';
import { Pipeline } from '../pipeline.ts';

/** What a compaction hook is told. */
export interface CompactionAttempt {
  readonly trigger: 'manual' | 'auto';
  readonly messagesBefore: number;
  /** About how many tokens the request has. */
  readonly tokensBefore: number;
}
/** May refuse one attempt. */
export type CompactionHook = (
  attempt: CompactionAttempt,
  run: RunContext,
) => Promise<{ readonly blocked: boolean }> | { readonly blocked: boolean };

/** When and how a history is compacted. */
export interface CompactionOptions {
  /** The model of the run: its window counts, and it writes the summary. Asked each time, as it may change within a run. */
  readonly model: (run: RunContext) => Model;
  /** The part of the window from which the history is compacted; default 0.8. */
  readonly threshold?: number;
  /** The part of the window that the kept end of the history may fill; default 0.3. */
  readonly keepShare?: number;
  /** User messages at the end that are kept with all that follows them, when that fits; default 2. */
  readonly keepTurns?: number;
  /** Messages that are kept as they are, wherever they stand. */
  readonly pinned?: (message: Message) => boolean;
  /** Asked before each attempt. */
  readonly hook?: CompactionHook;
  /** Appended to the instruction for the summary, after a blank line. */
  readonly instructions?: string;
  /** Handlers whose model wraps go around the call for the summary: model retry, fallback. Default none. */
  readonly inside?: readonly AgentHandler[];
}

const KNOWN = ['model', 'threshold', 'keepShare', 'keepTurns', 'pinned', 'hook', 'instructions', 'inside'];

/** Options with their defaults. */
export interface CompactionRules extends CompactionOptions {
  readonly threshold: number;
  readonly keepShare: number;
  /** What `inside` comes to. */
  readonly layers: Pipeline;
}

/** @throws ValidationError */
export function compactionRules(what: string, options: CompactionOptions): CompactionRules {
  checkKeys(`${what} options`, options, KNOWN);
  const rules = { threshold: 0.8, keepShare: 0.3, ...options, layers: new Pipeline(options.inside ?? []) };
  for (const key of ['threshold', 'keepShare'] as const) {
    if (typeof rules[key] === 'number' && rules[key] > 0 && rules[key] <= 1) continue;
    throw new ValidationError(`${key} must be a part of the window: above 0, at most 1`, key);
  }
  if (typeof rules.model !== 'function') throw new ValidationError(`${what} needs the model of a run`, 'model');
  if (rules.keepTurns !== undefined) checkWhole(rules.keepTurns, 'keepTurns', 1);
  return rules;
}
