import { type Message, type RunContext, textOf, type UserMessage } from '@x/core';
import type { Folded } from './fold-hooks.ts';
import { forcedTurns, forceTurn } from './forced-turns.ts';
import type { HookSet } from './hook-set.ts';
import type { RunMemory } from './run-memory.ts';
import type { HookEvent, HookFacts } from './types.ts';

/** Runs the hooks of one event for a run, which is told what they have to tell. */
export type FoldForRun = <E extends HookEvent>(event: E, facts: HookFacts[E], run: RunContext) => Promise<Folded<E>>;
interface EndOptions {
  readonly set: HookSet;
  readonly memoryOf: (run: RunContext) => RunMemory;
  readonly fold: FoldForRun;
}

/** Tells `Stop`, then `TaskCompleted`; the message with which a hook starts another turn. */
export async function mainStop(
  messages: readonly Message[],
  run: RunContext,
  { set, memoryOf, fold }: EndOptions,
): Promise<UserMessage | undefined> {
  const { text, stopReason } = lastReply(messages);
  const active = forcedTurns(run) > 0;
  const facts = { stop_reason: stopReason, final_response: text, stop_hook_active: active };
  const stop = await fold('Stop', facts, run);
  if (stop.aborted) return undefined;
  const options = { run, memory: memoryOf(run), limit: set.maxForcedTurns };
  const wanted = wantsTurn(stop);
  const forced = wanted ? await forceTurn(stop.reason, options) : undefined;
  if (forced) return forced;
  const completed = await fold('TaskCompleted', { task_id: run.runId, result: text }, run);
  // A run that was to end, or has used up its turns, ends.
  if (wanted || stop.stop !== undefined || !wantsTurn(completed)) return undefined;
  return forceTurn(completed.reason, options);
}

/** Tells `SubagentStop` of one that has come to its end. */
export async function subagentStop(
  messages: readonly Message[],
  run: RunContext,
  { set, memoryOf, fold }: EndOptions,
): Promise<UserMessage | undefined> {
  const facts = { agent_type: run.agentName, success: true, result_summary: lastReply(messages).text };
  const folded = await fold('SubagentStop', facts, run);
  const options = { run, memory: memoryOf(run), limit: set.maxForcedTurns };
  const forced = wantsTurn(folded) ? await forceTurn(folded.reason, options) : undefined;
  const children = (run.parent && memoryOf(run.parent.run).children.get(run.parent.callId)) ?? [];
  for (const child of children) if (child.run === run && !forced && !folded.aborted) child.ended = true;
  return forced;
}

function wantsTurn({ decision, stop }: Folded<HookEvent>): boolean {
  return decision === 'deny' && stop === undefined;
}

function lastReply(messages: readonly Message[]): { text: string; stopReason: string } {
  const reply = messages.findLast((message) => message.role === 'assistant');
  return reply ? { text: textOf(reply), stopReason: reply.stopReason } : { text: '', stopReason: 'end' };
}
