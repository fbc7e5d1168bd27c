import { type Message, textOf } from '@x/core';

/** What a model service may do before it answers: fail once, refuse the history as too long, or fail for good. */
export type Trouble = 'retry' | 'overflow' | 'fallback';
export interface GuardedReply {
  /** Names of tools; `Task A` hands a task to the agent A. Without calls the reply is a last word. */
  readonly calls?: readonly string[];
  readonly trouble?: Trouble;
  /** The service counts so many tokens that the history has to be compacted. */
  readonly full?: true;
  /** A hook sends the agent back to work after it. */
  readonly again?: true;
}
/** What each agent says, by its name; `r0`, `r1`, ... are the runs of the session's own agent. */
export interface GuardedPlan {
  readonly name: string;
  readonly agents: Readonly<Record<string, readonly GuardedReply[]>>;
}

/** Subagents on two levels and side by side, questions with every answer, hooks that change and that force turns. */
export const agentsPlan: GuardedPlan = {
  name: 'agents',
  agents: {
    r0: [{ calls: ['Task A', 'Task B'] }, { calls: ['book', 'wipe', 'lookup'] }, { again: true }, {}],
    r1: [{ calls: ['order'] }, {}],
    A: [{ calls: ['Task A1', 'lookup'] }, { calls: ['order'] }, { again: true }, {}],
    A1: [{ calls: ['charge', 'book'] }, {}],
    B: [{ calls: ['wipe', 'order'] }, {}],
  },
};

/** A service that fails, fails for good and refuses long histories, of the agent and of its subagent; a result that is the answer. */
export const modelsPlan: GuardedPlan = {
  name: 'models',
  agents: {
    r0: [
      { calls: ['lookup'], trouble: 'retry' },
      { calls: ['lookup', 'book'], full: true },
      { calls: ['Task C'] },
      { calls: ['charge', 'lookup'], trouble: 'fallback' },
      { calls: ['lookup'] },
      { calls: ['book'], trouble: 'overflow' },
      {},
    ],
    r1: [{ calls: ['lookup', 'deliver'] }],
    C: [
      { calls: ['lookup'] },
      { calls: ['book'] },
      { calls: ['lookup'], trouble: 'overflow' },
      { trouble: 'fallback' },
    ],
  },
};

/** One call of the plan. */
export interface GuardedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The agent that the call starts. */
  readonly starts?: string;
}

/** A place in the plan: the agent or run, and which of its replies. */
export interface Place {
  readonly name: string;
  readonly position: number;
}

/** What the text of a reply begins with, by which its place is known again. */
export function markOf({ name, position }: Place): string {
  return `[${name}.${position}]`;
}

/** The place that a text of the agent is marked with. */
export function placeIn(text: string): Place | undefined {
  const [, name, position] = /\[(\w+)\.(\d+)\]/.exec(text) ?? [];
  return name === undefined ? undefined : { name, position: Number(position) };
}

/** The reply of the plan at a place; undefined behind the last one. */
export function replyAt({ agents }: GuardedPlan, { name, position }: Place): GuardedReply | undefined {
  return agents[name]?.[position];
}

/** The calls of a reply. */
export function callsAt(plan: GuardedPlan, place: Place): GuardedCall[] {
  return (replyAt(plan, place)?.calls ?? []).map((call, index) => {
    const id = `${place.name}_${place.position}_${index}`;
    const [name = '', agent] = call.split(' ');
    if (agent === undefined) return { id, name, input: { item: id } };
    return { id, name, input: { subagent_type: agent, description: 'A task', prompt: `Be ${agent}.` }, starts: agent };
  });
}

/** Every place of the plan. */
export function placesOf({ agents }: GuardedPlan): Place[] {
  return Object.entries(agents).flatMap(([name, replies]) => replies.map((_, position) => ({ name, position })));
}

/** The number that a reply carries as its `inputTokens`, by which it is known again. */
export function numberAt(plan: GuardedPlan, place: Place): number {
  const number = 100 + 20 * Object.keys(plan.agents).indexOf(place.name) + place.position;
  return replyAt(plan, place)?.full ? 9000 + number : number;
}

/** Where an agent stands, by what it has been told and has said, also when a summary says it. */
export function placeOf(agent: string, messages: readonly Message[]): Place {
  const said = messages.map((message) => (message.role === 'tool' ? '' : textOf(message))).join('\n');
  const runs = [...said.matchAll(/run:(\d+)/g)].map(([, run]) => Number(run));
  const name = agent === 'r' ? `r${Math.max(...runs)}` : agent;
  const marks = [...said.matchAll(/\[(\w+)\.(\d+)\]/g)].filter(([, own]) => own === name);
  return { name, position: Math.max(-1, ...marks.map(([, , position]) => Number(position))) + 1 };
}

/** What a summary has to hold: where the agents stand. */
export function gistOf(text: string): string {
  return [...new Set(text.match(/run:\d+|\[\w+\.\d+\]/g))].join(' ');
}
