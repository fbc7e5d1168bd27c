import { fc, test } from '@fast-check/vitest';
import type { AgentHandler } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { agent, cast, tasks, withAgents } from '../test/subagents.ts';
import { runAgent } from './run-agent.ts';

const NAMES = ['one', 'two', 'three', 'four', 'five'];
const someNames = fc.subarray([...NAMES, 'Task']);
const listed = fc.option(someNames, { nil: undefined });

/** What each level is offered, when the levels below have these lists and every level calls everything. */
async function offered(
  lists: readonly (readonly string[] | undefined)[],
  handlers: readonly AgentHandler[],
  has: readonly string[],
) {
  const ran: string[] = [];
  const tools = has
    .filter((name) => name !== 'Task')
    .map((name) => toolNamed(name, async (_, { run }) => void ran.push(`${run.depth}:${name}`)));
  const all = NAMES.map((name) => ({ id: name, name, input: {} }));
  const level = (below: string) => [{ toolCalls: [...all, ...tasks(below).toolCalls] }, { text: 'Done.' }];
  const script = cast({ main: level('a'), a: level('b'), b: level('c'), c: level('a') });
  const agents = ['a', 'b', 'c'].map((name, index) => {
    const list = lists[index];
    return agent(name, list ? { tools: list } : {});
  });
  const { options, model } = withAgents(script, agents, { tools, handlers, options: { maxDepth: 3 } });
  await collect(runAgent(options));
  const byLevel = ['Begin.', 'Do it, a.', 'Do it, b.', 'Do it, c.'].map((task) => {
    const request = model.requests.find(({ messages }) => JSON.stringify(messages[0]).includes(`"${task}"`));
    return request?.tools.map(({ name }) => name);
  });
  return { byLevel, ran };
}

/** Adds, for agents of some depth, tools that were not there; a new object each time. */
function adding(names: readonly string[], depth: number): AgentHandler {
  return {
    name: 'adding',
    beforeAgent: (config, run) => {
      if (run.depth !== depth) return;
      for (const name of names) {
        if (config.tools.some(({ tool }) => tool.name === name)) continue;
        config.tools.push({ tool: toolNamed(name, async () => name), returnDirectly: false });
      }
    },
  };
}

describe('the tools of a subagent', () => {
  test.prop([fc.tuple(listed, listed, listed), someNames, fc.subarray(NAMES), fc.integer({ min: 0, max: 3 })])(
    'are never more than its parent has and its definition lists, whatever handlers add',
    async (lists, has, added, depth) => {
      const { byLevel, ran } = await offered(lists, [adding(added, depth)], has);

      byLevel.forEach((tools, level) => {
        if (level === 0 || !tools) return;
        const parent = byLevel[level - 1];
        expect(parent).toEqual(expect.arrayContaining(tools));
        const list = lists[level - 1];
        if (list) expect(list).toEqual(expect.arrayContaining(tools));
      });
      for (const call of ran) {
        const [level, name] = call.split(':');
        expect(byLevel[Number(level)]).toContain(name);
      }
    },
  );

  it('are all of its parent, when nothing is listed, with Task down to the last level but one', async () => {
    const { byLevel } = await offered([undefined, undefined, undefined], [], NAMES);

    expect(byLevel).toEqual([[...NAMES, 'Task'], [...NAMES, 'Task'], [...NAMES, 'Task'], NAMES]);
  });

  it('are all that handlers are shown before the run', async () => {
    const shown: string[][] = [];
    const watch: AgentHandler = {
      name: 'watch',
      beforeAgent: ({ tools }) => void shown.push(tools.map(({ tool }) => tool.name)),
    };

    await offered([['two'], [], []], [watch], NAMES);

    expect(shown).toEqual([[...NAMES, 'Task'], ['two']]);
  });

  it('are fewer than handlers would make them: a run without a bound has what they add', async () => {
    const script = [{ toolCalls: [{ id: 'c', name: 'one', input: {} }] }, { text: 'Done.' }];
    const free = runOptions(script, { handlers: [adding(['one'], 0)] });
    const bound = runOptions(script, { handlers: [adding(['one'], 0)] });
    const outside = (name: string) => (name === 'one' ? 'Not here.' : undefined);

    await collect(runAgent(free.options));
    await collect(runAgent({ ...bound.options, outside }));

    const answers = [free, bound].map(({ journal }) => recordsOf(journal, 'tool_finished')[0]?.result.output);
    expect(answers).toEqual(['one', 'Not here.']);
    expect([free, bound].map(({ model }) => model.requests[0]?.tools.length)).toEqual([2, 1]);
  });
});
