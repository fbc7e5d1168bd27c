import { textOf } from '@x/core';
import type { Script, ScriptedReply } from '@x/core/testing';
import type { SessionOptions } from '../../src/index.ts';

/** Hands a task to an agent, whose first message is `Work, <agent>.`. */
export function task(agent: string, id?: string) {
  const input = { subagent_type: agent, description: 'Work', prompt: `Work, ${agent}.` };
  return { ...(id === undefined ? {} : { id }), name: 'Task', input };
}

/** Agents by these names, known to `cast` by their prompts. */
export function agentsNamed(...names: readonly string[]): NonNullable<SessionOptions['agents']> {
  return names.map((name) => ({ name, description: `Works as ${name}.`, systemPrompt: `Be ${name}.` }));
}

/** One script for all agents: each plays its own replies, one a turn. Summaries are asked for as in no other call. */
export function cast(parts: Readonly<Record<string, readonly ScriptedReply[]>>, summary?: ScriptedReply): Script {
  const turns = new Map<string, number>();
  return ({ messages, instruction }) => {
    const [first] = messages;
    if (first?.role === 'user' && textOf(first).startsWith('<record>')) return { text: 'A summary.', ...summary };
    const name = /^Be (\w+)\./.exec(instruction)?.[1] ?? 'main';
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    const reply = parts[name]?.[turn];
    if (!reply) throw new Error(`${name} has no reply ${turn + 1}`);
    return reply;
  };
}
