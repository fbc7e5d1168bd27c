import type { AgentHandler, Message, Model, RunContext } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
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

const PART = is.rule(
  'a part of the window: above 0, at most 1',
  (value) => typeof value === 'number' && value > 0 && value <= 1,
);
const OPTIONS: OptionRules<CompactionOptions> = {
  model: is.required(is.rule('a function that gives the model of a run', (value) => typeof value === 'function')),
  threshold: PART,
  keepShare: PART,
  keepTurns: is.count(),
  pinned: is.callback,
  hook: is.callback,
  instructions: is.text,
  inside: is.list, // `Pipeline` checks what is in it
};

/** Options with their defaults. */
export interface CompactionRules extends CompactionOptions {
  readonly threshold: number;
  readonly keepShare: number;
  /** What `inside` comes to. */
  readonly layers: Pipeline;
}

/** @throws ValidationError */
export function compactionRules(what: string, options: CompactionOptions): CompactionRules {
  checkOptions(`${what} options`, options, OPTIONS);
  const { threshold = 0.8, keepShare = 0.3, inside = [] } = options;
  return { ...options, threshold, keepShare, layers: new Pipeline(inside) };
}
