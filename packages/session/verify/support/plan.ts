import { type AssistantMessage, type Message, type Model, textOf } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import { faultsOf } from '../../test/support/makers.ts';

/** A call of the plan, made for the id it will have. */
export type PlannedCall = (callId: string) => { readonly name: string; readonly input: unknown };
/**
 * The work of a session: its runs, each a list of replies, each a list of calls. A reply without calls ends each run. A run whose text
 * is the prompt of a `Task` is a subagent's.
 */
export type Plan = readonly (readonly (readonly PlannedCall[])[])[];

export interface PlannedModelOptions {
  readonly plan: Plan;
  /** Told of every request that no provider would take. */
  readonly onFault: (fault: string) => void;
  /** Waited for before the reply and before each of its deltas. */
  readonly pause: () => Promise<void>;
}

/** A model whose replies follow from the request's messages alone, so that a resumed process goes on properly. */
export function plannedModel({ plan, onFault, pause }: PlannedModelOptions): Model {
  const inner = scriptedModel(({ messages }) => replyTo(plan, messages));
  return {
    ...inner,
    async *stream(request) {
      for (const fault of requestFaults(request.messages)) onFault(fault);
      await pause();
      const stream = inner.stream(request);
      for (;;) {
        const step = await stream.next();
        if (step.done) return step.value;
        await pause();
        yield step.value;
      }
    },
  };
}

/** What is said to start a run, and what is said while it is under way. */
export const runText = (run: number): string => `run:${run}`;
export const steerText = (run: number): string => `steer:${run}`;

/** The runs that begin with a message of the user, not with a task. */
export function userRunsOf(plan: Plan): number[] {
  const prompts = [...callsOf(plan).values()].map(({ input }) => (input as { prompt?: string }).prompt); // safe: only read
  return [...plan.keys()].filter((run) => !prompts.includes(runText(run)));
}

/** The calls of the plan by their ids. */
export function callsOf(plan: Plan): Map<string, ReturnType<PlannedCall>> {
  const calls = new Map<string, ReturnType<PlannedCall>>();
  plan.forEach((replies, run) =>
    replies.forEach((reply, position) =>
      reply.forEach((call, index) => {
        const id = idOf({ run, position, index });
        calls.set(id, call(id));
      }),
    ),
  );
  return calls;
}

/** The number that a reply carries as its `inputTokens`, by which it is known again. */
export function replyNumber(run: number, position: number): number {
  return (run + 1) * 1000 + position;
}

/** The replies of the plan, the last one of each run included. */
export function replyNumbersOf(plan: Plan): number[] {
  return plan.flatMap((replies, run) => [...replies, []].map((_, position) => replyNumber(run, position)));
}

function replyTo(plan: Plan, messages: readonly Message[]): ScriptedReply {
  const start = messages.findLastIndex((message) => message.role === 'user' && textOf(message).startsWith('run:'));
  const first = messages[start];
  const run = first?.role === 'user' ? Number(textOf(first).slice('run:'.length)) : plan.length;
  const position = messages
    .slice(start + 1)
    .filter((message): message is AssistantMessage => message.role === 'assistant').length;
  const usage = { inputTokens: replyNumber(run, position) };
  const calls = plan[run]?.[position];
  if (!calls) return { text: ['This ', 'is ', 'done.'], usage };
  const toolCalls = calls.map((call, index) => {
    const id = idOf({ run, position, index });
    return { id, ...call(id) };
  });
  return { text: ['One ', 'moment.'], toolCalls, usage };
}

function idOf({ run, position, index }: { run: number; position: number; index: number }): string {
  return `r${run}p${position}c${index}`;
}

function requestFaults(messages: readonly Message[]): string[] {
  const faults = faultsOf(messages);
  if (messages[0]?.role !== 'user') faults.push("the first message is not the user's");
  if (messages.at(-1)?.role === 'assistant') faults.push('the last message is a reply');
  return faults;
}
