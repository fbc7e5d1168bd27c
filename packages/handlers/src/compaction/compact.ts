import { AgentError, type AgentEvent, isAgentError, type Message, type RunContext, type RunRecord } from '@x/core';
import { type CompactionRecord, compacted, messageOf } from '@x/core/internal';
import type { CompactionAttempt, CompactionRules } from './compaction-options.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { type CutPlan, planCut } from './plan-cut.ts';
import { type ModelUse, type Summary, summarize } from './summarize.ts';

/** The outcome of an attempt. */
export type CompactionOutcome =
  | { readonly compacted: true; readonly messages: readonly Message[]; readonly record: CompactionRecord }
  /** `nothing_to_replace`: everything must be kept. `blocked`: by the hook. */
  | { readonly compacted: false; readonly reason: 'nothing_to_replace' | 'blocked' };

export interface CompactionTask {
  readonly run: RunContext;
  readonly rules: CompactionRules;
  readonly trigger: CompactionAttempt['trigger'];
  /** Estimated tokens of the request. */
  readonly tokens: number;
  /** Cuts a history that would be kept because of its size: on request, or after the service has refused it. */
  readonly force: boolean;
  /** True when the hook is only informed: it has blocked an attempt of this run already. */
  readonly decided?: boolean;
  readonly signal: AbortSignal;
  readonly tell: (event: AgentEvent) => void;
}

/** Keeps the model from reading the summary as the user's own words. */
const PREFIX = 'The conversation up to here was condensed to this summary:\n\n';

/**
 * Makes one attempt: plan, ask the hook, summarise, record; the messages are the new view once the record is durable.
 * @throws AgentError `COMPACTION_FAILED` without a summary, AbortError when the signal ended it, and errors of the journal
 */
export async function compact(messages: readonly Message[], task: CompactionTask): Promise<CompactionOutcome> {
  const { run, rules, trigger, tokens } = task;
  const plan = planFor(messages, task);
  if (!plan) return { compacted: false, reason: 'nothing_to_replace' };
  const attempt = { trigger, messagesBefore: messages.length, tokensBefore: tokens };
  const answer = await rules.hook?.(attempt, run);
  if (answer?.blocked && !task.decided) return { compacted: false, reason: 'blocked' };
  rules.onStart?.(attempt, run);
  const summary = await summaryOf(plan, task);
  const { text, use } = summary;
  const usage = use ? [usageNote(use)] : [];
  if (text === undefined) {
    if (use) {
      await run.journal.write(...usage);
      task.tell({ type: 'usage', usage: use.usage, model: use.model });
    }
    throw failureOfSummary(summary);
  }
  const record = recordOf(messages, { plan, text, tokens });
  await run.journal.write(...usage, record);
  if (use) task.tell({ type: 'usage', usage: use.usage, model: use.model });
  const { createdAt: _, ...event } = record;
  task.tell(event);
  return { compacted: true, messages: compacted(messages, record), record };
}

function planFor(messages: readonly Message[], { run, rules, force }: CompactionTask): CutPlan | undefined {
  const { keepShare, keepTurns, pinned } = rules;
  const window = windowOf(rules.model(run));
  const keepTokens = Math.min(window * keepShare, force ? estimateTokens(messages) / 3 : Number.POSITIVE_INFINITY);
  return planCut(messages, { keepTokens, ...(keepTurns ? { keepTurns } : {}), ...(pinned ? { pinned } : {}) });
}

/** Tokens; infinite for a model with an unknown window. */
export function windowOf({ contextWindow }: { readonly contextWindow: number }): number {
  return contextWindow > 0 ? contextWindow : Number.POSITIVE_INFINITY;
}

function summaryOf(plan: CutPlan, { run, rules, signal, tell }: CompactionTask): Promise<Summary> {
  const { instructions, layers } = rules;
  const model = rules.model(run);
  return summarize(plan.replaced, {
    model,
    signal,
    tell,
    instructions,
    call: (request) => layers.callModel(request, (changed) => (changed.model ?? model).stream(changed), run),
  });
}

function usageNote(use: ModelUse): RunRecord {
  return { type: 'note', name: 'usage', data: { ...use, purpose: 'compaction' } };
}

function recordOf(
  messages: readonly Message[],
  { plan, text, tokens }: { plan: CutPlan; text: string; tokens: number },
): CompactionRecord {
  const pinned = plan.pinned.map(({ id }) => id);
  return {
    type: 'compaction',
    id: crypto.randomUUID(),
    createdAt: later(messages),
    summary: PREFIX + text,
    keptFrom: plan.kept[0]!.id, // a plan keeps at least one message
    ...(pinned.length > 0 ? { pinned } : {}),
    tokensBefore: tokens,
  };
}

/** The present time, but after every message: this shows which replies were made with the summary. */
function later(messages: readonly Message[]): string {
  const newest = Math.max(...messages.map(({ createdAt }) => Date.parse(createdAt) || 0));
  return new Date(Math.max(Date.now(), newest + 1)).toISOString();
}

function failureOfSummary({ error }: Summary): AgentError {
  if (isAgentError(error) && (error.code === 'ABORTED' || error.code === 'COMPACTION_FAILED')) return error;
  return new AgentError(`The history was not compacted: ${messageOf(error)}`, {
    code: 'COMPACTION_FAILED',
    cause: error,
  });
}
