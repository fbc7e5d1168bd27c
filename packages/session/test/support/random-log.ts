import { fc } from '@fast-check/vitest';
import { type AssistantMessage, type RunRecord, toolUsesOf, userMessage } from '@x/core';
import type { EntryBody } from '../../src/index.ts';

const usage = fc.record({ inputTokens: fc.nat(9), outputTokens: fc.nat(9), totalTokens: fc.nat(18) });
const turn = fc.record({
  users: fc.array(fc.string(), { maxLength: 2 }),
  text: fc.string(),
  calls: fc.nat(3),
  /** In which order calls end, and which have recorded that they began. */
  dice: fc.array(fc.nat(5), { minLength: 3, maxLength: 3 }),
  usage,
  stray: fc.constantFrom('none', 'result', 'note', 'compaction'),
});
const run = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  subtype: fc.constantFrom('success', 'error', 'max_turns', 'aborted'),
});
type TurnPlan = typeof turn extends fc.Arbitrary<infer T> ? T : never;

/** Logs as sessions write them: whole runs, every call answered, results in any order, a subagent here and there, strays between. */
export const randomLog: fc.Arbitrary<EntryBody[]> = fc.array(run, { maxLength: 4 }).map((runs) => {
  const log: EntryBody[] = [{ type: 'session_created', format: 1, cwd: '/work' }];
  for (const [index, { turns, subtype }] of runs.entries()) {
    log.push({ type: 'run_started', runId: `r${index}`, messageId: `m${index}`, model: 'm' });
    for (const [number, plan] of turns.entries()) log.push(...turnOf(plan, `${index}-${number}`));
    log.push({
      type: 'run_ended',
      runId: `r${index}`,
      subtype,
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    });
  }
  return log;
});

function turnOf(plan: TurnPlan, id: string): EntryBody[] {
  const reply = replyOf(plan, id);
  const uses = toolUsesOf(reply);
  const calls = uses.flatMap(({ id: callId, name, input }, index) => {
    const started = {
      type: 'tool_started',
      callId,
      name,
      input,
      effect: 'pure',
      idempotencyKey: `s:${callId}`,
    } as const;
    const finished = {
      type: 'tool_finished',
      callId,
      result: { output: callId, isError: false },
      durationMs: 1,
    } as const;
    const child = index === 0 ? [record({ type: 'message', message: userMessage('sub') }, [callId])] : [];
    return [record(started), ...child, record(finished)].map((body, step) => ({
      body,
      order: plan.dice[index]! * 3 + step,
    }));
  });
  return [
    ...plan.users.map((text) => record({ type: 'message', message: userMessage(text) })),
    record({ type: 'message', message: reply }),
    ...calls.toSorted((one, other) => one.order - other.order).map(({ body }) => body),
    ...stray(plan.stray),
  ];
}

function replyOf({ text, calls, usage: used }: TurnPlan, id: string): AssistantMessage {
  const uses = Array.from({ length: calls }, (_, index) => ({
    type: 'tool_use' as const,
    id: `c${id}-${index}`,
    name: 't',
    input: { index },
  }));
  const content = [{ type: 'text' as const, text }, ...uses];
  const stopReason = calls > 0 ? 'tool_use' : 'end';
  return {
    id: crypto.randomUUID(),
    createdAt: new Date(0).toISOString(),
    role: 'assistant',
    content,
    provider: 'p',
    model: 'm',
    usage: used,
    stopReason,
  };
}

function stray(kind: TurnPlan['stray']): EntryBody[] {
  if (kind === 'result')
    return [record({ type: 'tool_finished', callId: 'nobody', result: { output: '', isError: false }, durationMs: 0 })];
  if (kind === 'note') return [record({ type: 'note', name: 'n', data: { a: [1] } })];
  return kind === 'compaction' ? [{ type: 'title', title: 'A title' }] : [];
}

export function record(body: RunRecord, scope: readonly string[] = []): EntryBody {
  return { type: 'record', scope, record: body };
}
