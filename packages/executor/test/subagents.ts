import { type AgentEvent, type ModelRequest, type Tool, textOf } from '@x/core';
import type { Script, ScriptedReply } from '@x/core/testing';
import { type AgentDefinition, type SubagentToolOptions, subagentTool } from '../src/index.ts';
import { echo, type RunParts, runOptions } from './run-options.ts';

/** Each agent plays its own part: known by its task, and by how often it has spoken. `main` is the outermost one. */
export function cast(
  parts: Readonly<Record<string, readonly ScriptedReply[]>>,
): (request: ModelRequest) => ScriptedReply {
  return ({ messages }) => {
    const task = messages[0]?.role === 'user' ? textOf(messages[0]) : '';
    const name = /^Do it, (.*)\.$/.exec(task)?.[1] ?? 'main';
    const spoken = messages.filter(({ role }) => role === 'assistant').length;
    return parts[name]?.[spoken] ?? { error: new Error(`${name} has no reply ${spoken + 1}`) };
  };
}

/** A definition whose instruction is its name. */
export function agent(name: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return { name, description: `Does what a ${name} does.`, systemPrompt: name, ...more };
}

/** A reply that hands a task to each of these agents; the call ids are `task0`, `task1`, ... */
export function tasks(...names: readonly string[]) {
  return {
    toolCalls: names.map((name, index) => ({
      id: `task${index}`,
      name: 'Task',
      input: { subagent_type: name, description: 'A task', prompt: `Do it, ${name}.` },
    })),
  };
}

/** A run whose agent has `Task` beside its other tools. */
export function withAgents(
  script: Script,
  agents: readonly AgentDefinition[],
  { options = {}, tools = [echo()], ...parts }: RunParts & { readonly options?: Partial<SubagentToolOptions> } = {},
) {
  const task = subagentTool({ agents, ...options }) as Tool; // its input is parsed before it is called
  return runOptions(script, { ...parts, tools: [...tools, task] });
}

/** What the events inside of `subagent` events are, however deep. */
export function innermost(events: readonly AgentEvent[]): AgentEvent[] {
  return events.map((event) => {
    let inner = event;
    while (inner.type === 'subagent') inner = inner.event;
    return inner;
  });
}
