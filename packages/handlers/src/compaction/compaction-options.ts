import type { AgentHandler, Message, Model, RunContext, Tool } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { Pipeline } from '../pipeline.ts';

/** Facts for a compaction hook. */
export interface CompactionAttempt {
  readonly trigger: 'manual' | 'auto';
  readonly messagesBefore: number;
  /** Estimated tokens of the request. */
  readonly tokensBefore: number;
}
/** Decides about one attempt; may block it. */
export type CompactionHook = (
  attempt: CompactionAttempt,
  run: RunContext,
) => Promise<{ readonly blocked: boolean }> | { readonly blocked: boolean };

/** Options of a compaction. */
export interface CompactionOptions {
  /** The model of the run: its window counts, and it writes the summary. Called each time, as it may change within a run. */
  readonly model: (run: RunContext) => Model;
  /** Fraction of the window from which the history is compacted; default 0.8. */
  readonly threshold?: number;
  /** Fraction of the window that the kept end of the history may fill; default 0.3. */
  readonly keepShare?: number;
  /** User messages at the end that are kept with everything after them, if that fits; default 2. */
  readonly keepTurns?: number;
  /** True for messages that are kept unchanged, wherever they are. */
  readonly pinned?: (message: Message) => boolean;
  /** The tools that are sent, where a handler sends fewer than the run has: only these fill the window. Default: all. */
  readonly sentTools?: (tools: readonly Tool[], run: RunContext) => readonly Tool[];
  /** Called before each attempt. */
  readonly hook?: CompactionHook;
  /** Called immediately when a summary is about to be written, which takes a whole model call; must not throw. */
  readonly onStart?: (attempt: CompactionAttempt, run: RunContext) => void;
  /** Appended to the instruction for the summary, after a blank line. */
  readonly instructions?: string;
  /** Handlers whose model wraps surround the call for the summary: model retry, fallback. Default none. */
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
  sentTools: is.callback,
  hook: is.callback,
  onStart: is.callback,
  instructions: is.text,
  inside: is.list, // `Pipeline` checks what is in it
};

/** Options with their defaults. */
export interface CompactionRules extends CompactionOptions {
  readonly threshold: number;
  readonly keepShare: number;
  /** The handlers of `inside` as a pipeline. */
  readonly layers: Pipeline;
}

/** @throws ValidationError */
export function compactionRules(what: string, options: CompactionOptions): CompactionRules {
  checkOptions(`${what} options`, options, OPTIONS);
  const { threshold = 0.8, keepShare = 0.3, inside = [] } = options;
  return { ...options, threshold, keepShare, layers: new Pipeline(inside) };
}
