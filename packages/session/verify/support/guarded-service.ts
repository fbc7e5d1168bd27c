import { AgentError, type Model, type ModelRequest, textOf } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import type { CustomProvider } from '../../src/index.ts';
import { faultsOf } from '../../test/support/makers.ts';
import { callsAt, type GuardedPlan, gistOf, markOf, numberAt, type Place, placeOf, replyAt } from './guarded-plan.ts';
import type { Life } from './life.ts';
import type { Witness } from './witness.ts';

/** What a model service remembers; it outlives the processes that ask it. */
export interface ServiceState {
  /** Places at which it has failed once. */
  readonly failed: Set<string>;
  /** By place: the first message of the history that it has refused. */
  readonly refused: Map<string, string | undefined>;
  /** Replies that the plan does not have. */
  extra: number;
}
export interface ServiceOptions {
  readonly plan: GuardedPlan;
  readonly state: ServiceState;
  readonly witness: Witness;
  readonly life: Life;
  /** Told of every request that no provider would take. */
  readonly onFault: (fault: string) => void;
}

/** Tokens. */
const WINDOW = 10_000;

/** The models `main` and `spare`: replies follow from the request's messages, troubles from the plan. */
export function guardedService({ plan, state, witness, life, onFault }: ServiceOptions): CustomProvider {
  const createModel = (model: string): Model => {
    const inner = scriptedModel((request) => replyTo(request, { plan, state, model }), {
      name: model,
      contextWindow: WINDOW,
    });
    return {
      ...inner,
      async *stream(request) {
        await life.pass('in the model');
        for (const fault of requestFaults(request)) onFault(fault);
        if (request.tools.length > 0) witness.spoke(agentOf(request));
        const reply = yield* inner.stream(request);
        await life.pass('in the model');
        return reply;
      },
    };
  };
  return { type: 'custom', createModel };
}

interface Asked {
  readonly plan: GuardedPlan;
  readonly state: ServiceState;
  readonly model: string;
}

function replyTo(request: ModelRequest, { plan, state, model }: Asked): ScriptedReply {
  if (request.tools.length === 0) return { text: gistOf(request.messages.map(textIn).join('\n')) };
  const place = placeOf(agentOf(request), request.messages);
  const reply = replyAt(plan, place);
  if (!reply) return { text: 'Nothing more.', usage: { inputTokens: 1000 + ++state.extra } };
  const error = troubleAt(place, request, { plan, state, model });
  if (error) return { error };
  return {
    text: `${markOf(place)} So be it.`,
    toolCalls: callsAt(plan, place),
    usage: { inputTokens: numberAt(plan, place) },
  };
}

function troubleAt(place: Place, { messages }: ModelRequest, { plan, state, model }: Asked): AgentError | undefined {
  const mark = markOf(place);
  const trouble = replyAt(plan, place)?.trouble;
  if (trouble === 'fallback') return model === 'main' ? overloaded() : undefined;
  if (trouble === 'retry' && !state.failed.has(mark)) {
    state.failed.add(mark);
    return overloaded();
  }
  if (trouble !== 'overflow') return undefined;
  const first = messages[0]?.id;
  if (!state.refused.has(mark)) state.refused.set(mark, first);
  return state.refused.get(mark) === first ? tooLong() : undefined;
}

function overloaded(): AgentError {
  return new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true });
}

function tooLong(): AgentError {
  return Object.assign(new AgentError('too long', { code: 'MODEL_ERROR', statusCode: 400 }), { contextOverflow: true });
}

/** The agents are told apart by their instructions. */
function agentOf({ instruction }: ModelRequest): string {
  return /^agent (\w+)/.exec(instruction)?.[1] ?? '';
}

function textIn(message: ModelRequest['messages'][number]): string {
  return message.role === 'tool' ? '' : textOf(message);
}

function requestFaults({ messages }: ModelRequest): string[] {
  const faults = faultsOf(messages);
  if (messages[0]?.role !== 'user') faults.push("the first message is not the user's");
  if (messages.at(-1)?.role === 'assistant') faults.push('the last message is a reply');
  return faults;
}
