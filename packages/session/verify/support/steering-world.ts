import { setImmediate as nextTurn } from 'node:timers/promises';
import { AbortError, AgentError, defineTool, type Model, objectSchema, type Tool } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import type { SendOutcome } from '../../src/index.ts';
import { faultsOf } from '../../test/support/makers.ts';
import type { Schedule, SendAction, Turn } from './steering-schedule.ts';
import type { Stage } from './steering-stage.ts';

/** One call of `send`, and what came of it. Heads are of the log. */
export interface Sent extends SendAction {
  readonly text: string;
  readonly calledAt: number;
  /** Whether the object that sent it was reading a run when it was asked to. */
  readonly whileReading: boolean;
  answeredAt?: number;
  outcome?: SendOutcome;
  refusal?: unknown;
  readonly controller?: AbortController;
}
/** What is known of a session from outside, over all its processes. */
export interface World {
  readonly sent: Sent[];
  readonly faults: string[];
  /** Ids of delivered messages as the readers have seen them. */
  readonly seen: string[];
  /** Whether one object sends and reads it all. */
  readonly isAlone: boolean;
  /** How often a run was asked to end early. */
  causes: number;
  crashes: number;
  head: number;
  /** The next model call is to fail. */
  failing: boolean;
  replies: number;
  compactions: number;
}

export function newWorld({ steps, readers }: Schedule): World {
  const senders = steps.flatMap(({ action }) => (action.kind === 'send' ? [action.by] : []));
  return {
    isAlone: [...senders, ...readers].every((who) => who === 'one'),
    sent: [],
    faults: [],
    seen: [],
    causes: 0,
    crashes: 0,
    head: 1,
    failing: false,
    replies: 0,
    compactions: 0,
  };
}

/** Replies turn by turn, each step a point; then in plain words without end. */
export function stagedModel(turns: readonly Turn[], stage: Stage, world: World): Model {
  const said = scriptedModel((request) => {
    if (request.tools.length === 0) return { text: 'All that was.' };
    const turn = turns[world.replies++];
    const toolCalls = (turn?.calls ?? []).map((name) => ({ name, id: crypto.randomUUID() }));
    const text = Array.from({ length: turn?.deltas ?? 1 }, () => 'word ');
    return { text, toolCalls, usage: { inputTokens: turn?.full ? 950 : 10, outputTokens: 5 } };
  });
  return {
    ...said,
    contextWindow: 1000,
    async *stream(request) {
      const { signal } = request;
      world.faults.push(...faultsOf(request.messages));
      const isSummary = request.tools.length === 0;
      if (isSummary) world.compactions += 1;
      const hangs = !isSummary && turns[world.replies]?.hangs;
      await stage.pass('model');
      if (world.failing) {
        world.failing = false;
        throw new AgentError('The service said no', { code: 'MODEL_ERROR' });
      }
      const stream = said.stream(request);
      for (;;) {
        const step = await stream.next();
        await stage.pass('model');
        if (signal.aborted) throw new AbortError();
        if (!step.done) yield step.value;
        else {
          while (hangs && !signal.aborted && (await stage.hasten('model'))) continue;
          if (signal.aborted) throw new AbortError();
          return step.value;
        }
      }
    },
  };
}

/** One that runs beside others, and one that does not; each has a point before and after it takes its time. */
export function stagedTools(stage: Stage): Tool[] {
  const tool = (name: string, kind: 'readonly' | 'execute') =>
    defineTool({
      name,
      kind,
      description: 'Takes its time.',
      inputSchema: objectSchema({}),
      execute: async () => {
        await stage.pass('tool');
        await nextTurn();
        await stage.pass('tool');
        return 'seen';
      },
    });
  return [tool('look', 'readonly'), tool('work', 'execute')];
}
