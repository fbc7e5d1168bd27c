import type { AgentEvent } from '@x/core';
import { EVENTS } from './hook-events.ts';
import { clip } from './hook-json.ts';
import type { HookSet } from './hook-set.ts';
import type { HookAnswer, HookChanges } from './read-output.ts';
import { type HookEnd, labelOf, runHook } from './run-hook.ts';
import type { CommandHook, HookBehavior, HookCallback, HookEvent, HookFacts } from './types.ts';

/** The combined answer of the hooks of one event. */
export interface Folded<E extends HookEvent> {
  /** The facts as changed by the hooks. */
  readonly facts: HookFacts[E];
  readonly changed: boolean;
  /** The strictest decision. */
  readonly decision?: 'allow' | 'ask' | 'deny';
  /** Reason of that decision. */
  readonly reason?: string;
  readonly skip: boolean;
  /** Context of all hooks, in order. */
  readonly context: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stop?: string;
  /** True when the run was stopped; the other fields are then not an answer. */
  readonly aborted: boolean;
  /** `notification` events, to be emitted. */
  readonly events: readonly AgentEvent[];
}
/** The context and time limit of the hooks. */
export interface FoldOptions {
  readonly agentName: string;
  readonly depth: number;
  readonly signal: AbortSignal;
  /** Maximum milliseconds of any hook. */
  readonly atMostMs?: number;
}

const STRICTNESS = { allow: 1, ask: 2, deny: 3 };
const MAX_SHOWN = 2_000;

/**
 * Runs the hooks of one event one after the other, each with the facts as the one before has left them. Deny wins over ask, ask over allow.
 * After a denial, a skip or an end of the run the remaining ones do not run. Never rejects.
 */
export async function foldHooks<E extends HookEvent>(
  event: E,
  facts: HookFacts[E],
  { set, options }: { set: HookSet; options: FoldOptions },
): Promise<Folded<E>> {
  const sum = startOf(facts);
  for (const hook of set.hooksFor(event, facts)) {
    const input = set.inputFor(event, sum.facts, options);
    const end = await runHook(hook, input, {
      workspace: set.workspace,
      signal: options.signal,
      timeoutMs: Math.min(set.timeoutMs(hook), options.atMostMs ?? Number.POSITIVE_INFINITY),
    });
    if (end.kind === 'aborted') return { ...sum, aborted: true };
    const answer =
      end.kind === 'answered' ? end.answer : fallback(event, labelOf(hook), { end, set, told: sum.events });
    add(sum, answer);
    if (end.kind === 'answered') tell(event, hook, { end, events: sum.events });
    if (answer.decision === 'deny' || answer.skip || answer.stop !== undefined) break;
  }
  return sum;
}

type Sum<E extends HookEvent> = { -readonly [K in keyof Folded<E>]: Folded<E>[K] } & {
  context: string[];
  events: AgentEvent[];
};

function startOf<E extends HookEvent>(facts: HookFacts[E]): Sum<E> {
  return { facts, changed: false, skip: false, context: [], env: {}, aborted: false, events: [] };
}

function add<E extends HookEvent>(sum: Sum<E>, answer: HookAnswer): void {
  const { decision, reason, changes, context, env, stop } = answer;
  if (decision && STRICTNESS[decision] > (sum.decision ? STRICTNESS[sum.decision] : 0)) {
    sum.decision = decision;
    delete sum.reason;
    if (reason !== undefined) sum.reason = reason;
  }
  if (changes) {
    sum.facts = withChanges(sum.facts, changes);
    sum.changed = true;
  }
  if (context !== undefined && context !== '') sum.context.push(context);
  if (env) sum.env = { ...sum.env, ...env };
  if (stop !== undefined) sum.stop = stop;
  if (answer.skip) {
    sum.skip = true;
    if (reason !== undefined) sum.reason = reason;
  }
}

function withChanges<F extends object>(facts: F, changes: HookChanges): F {
  return { ...facts, ...changes };
}

/** Replaces the answer of a hook that gave none. */
function fallback(
  event: HookEvent,
  label: string,
  { end, set, told }: { end: Extract<HookEnd, { fault: string }>; set: HookSet; told: AgentEvent[] },
): HookAnswer {
  const { gating } = EVENTS[event];
  const behavior: HookBehavior = set.behaviorOf(end.kind) ?? (gating ? 'error' : 'ignore');
  if (behavior === 'ignore') return {};
  const reason = `the ${event} hook ${label} ${end.fault}`;
  told.push(notification('hook_failed', end.detail === undefined ? reason : `${reason}: ${end.detail}`));
  return gating ? { decision: behavior === 'ask' ? 'ask' : 'deny', reason } : {};
}

function tell(
  event: HookEvent,
  hook: CommandHook | HookCallback,
  { end, events }: { end: Extract<HookEnd, { kind: 'answered' }>; events: AgentEvent[] },
): void {
  const { answer, said } = end;
  if (said !== '' && !answer.quiet) {
    events.push(notification('hook_output', `${event} hook ${labelOf(hook)}: ${clip(said, MAX_SHOWN)}`));
  }
  if (answer.systemMessage !== undefined) events.push(notification('hook_message', answer.systemMessage));
  if (answer.decision === 'deny' && !EVENTS[event].deniable) {
    const reason = answer.reason ?? 'it gave no reason';
    events.push(
      notification('hook_message', `the ${event} hook ${labelOf(hook)} denies what cannot be denied: ${reason}`),
    );
  }
}

export function notification(kind: string, message: string): AgentEvent {
  return { type: 'notification', kind, message };
}

/** True when a notification was caused by hooks; these start no hooks. */
export function isOfHooks(kind: string): boolean {
  return kind === 'hook_failed' || kind === 'hook_output' || kind === 'hook_message';
}
