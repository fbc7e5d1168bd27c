import { type Message, type RunContext, textOf, type UserMessage } from '@x/core';
import type { Folded } from './fold-hooks.ts';
import { forcedTurns, forceTurn } from './forced-turns.ts';
import type { HookSet } from './hook-set.ts';
import type { RunMemory } from './run-memory.ts';
import type { HookEvent, HookFacts } from './types.ts';

/** Runs the hooks of one event for a run, and emits their events on it. */
export type FoldForRun = <E extends HookEvent>(event: E, facts: HookFacts[E], run: RunContext) => Promise<Folded<E>>;
interface EndOptions {
  readonly set: HookSet;
  readonly memoryOf: (run: RunContext) => RunMemory;
  readonly fold: FoldForRun;
}

/** Runs `Stop`, then `TaskCompleted`; returns the message with which a hook starts another turn. */
export async function mainStop(
  messages: readonly Message[],
  run: RunContext,
  { set, memoryOf, fold }: EndOptions,
): Promise<UserMessage | undefined> {
  const { id: behind, text, stopReason } = lastWord(messages, memoryOf(run));
  const options = { run, memory: memoryOf(run), behind, limit: set.maxForcedTurns };
  const active = forcedTurns(options) > 0;
  const facts = { stop_reason: stopReason, final_response: text, stop_hook_active: active };
  const stop = await fold('Stop', facts, run);
  if (stop.aborted) return undefined;
  const wanted = wantsTurn(stop);
  const forced = wanted ? await forceTurn(stop.reason, options) : undefined;
  if (forced) return forced;
  const completed = await fold('TaskCompleted', { task_id: run.runId, result: text }, run);
  // A run that must end, or has used up its turns, ends.
  if (wanted || stop.stop !== undefined || !wantsTurn(completed)) return undefined;
  return forceTurn(completed.reason, options);
}

/** Runs `SubagentStop` for a subagent that has reached its end. */
export async function subagentStop(
  messages: readonly Message[],
  run: RunContext,
  { set, memoryOf, fold }: EndOptions,
): Promise<UserMessage | undefined> {
  const { id: behind, text } = lastWord(messages, memoryOf(run));
  const facts = { agent_type: run.agentName, success: true, result_summary: text };
  const folded = await fold('SubagentStop', facts, run);
  const options = { run, memory: memoryOf(run), behind, limit: set.maxForcedTurns };
  const forced = wantsTurn(folded) ? await forceTurn(folded.reason, options) : undefined;
  const children = (run.parent && memoryOf(run.parent.run).children.get(run.parent.callId)) ?? [];
  for (const child of children) if (child.run === run && !forced && !folded.aborted) child.ended = true;
  return forced;
}

function wantsTurn({ decision, stop }: Folded<HookEvent>): boolean {
  return decision === 'deny' && stop === undefined;
}

/** The answer of the run: the text of the last reply, or the output of its call that returns directly. */
function lastWord(
  messages: readonly Message[],
  { direct }: RunMemory,
): { id: string; text: string; stopReason: string } {
  const reply = messages.findLast((message) => message.role === 'assistant');
  if (!reply) return { id: '', text: '', stopReason: 'end' };
  const last = messages.at(-1);
  const answer = last?.role === 'tool' ? last.content.find(({ name }) => direct.has(name)) : undefined;
  return { id: reply.id, text: answer?.output ?? textOf(reply), stopReason: reply.stopReason };
}
