import type { AgentHandler } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, linesOf, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { agent, cast, tasks, withAgents } from '../test/subagents.ts';
import { runAgent } from './run-agent.ts';

describe('the limits of subagents', () => {
  const recursive = cast({
    main: [tasks('self'), { text: 'Thanks.' }],
    self: [tasks('self'), { text: 'Done.' }],
  });

  it('offer Task as far down as it may be called, and answer a call below that with the reason', async () => {
    const { options, model, journal } = withAgents(recursive, [agent('self')]);

    await collect(runAgent(options));

    const offered = model.requests.slice(0, 3).map(({ tools }) => tools.some(({ name }) => name === 'Task'));
    expect(offered).toEqual([true, true, false]);
    const refusal = recordsOf(journal, 'tool_finished')[0]?.result;
    expect(refusal).toMatchObject({ isError: true, output: expect.stringContaining('nested 2 deep') });
  });

  it.each([1, 2, 3, 4])('let agents be nested %i deep', async (maxDepth) => {
    const { options, journal } = withAgents(recursive, [agent('self')], { options: { maxDepth } });

    await collect(runAgent(options));

    expect(Math.max(...journal.records.map(({ scope }) => scope.length))).toBe(maxDepth);
  });

  it('hold for handlers that put Task back, into the tools or into the call', async () => {
    const { options: plain } = withAgents([], [agent('self')], { options: { maxDepth: 1 } });
    const task = plain.config.tools.find(({ tool }) => tool.name === 'Task')!; // withAgents adds it
    const back: AgentHandler = {
      name: 'back',
      beforeAgent: (config) => {
        if (!config.tools.some(({ tool }) => tool.name === 'Task')) config.tools.push(task);
      },
      wrapToolCall: (call, next) => next({ ...call, tool: call.tool ?? task.tool }),
    };
    const { options, journal } = withAgents(recursive, [agent('self')], {
      handlers: [back],
      options: { maxDepth: 1 },
    });

    await collect(runAgent(options));

    expect(Math.max(...journal.records.map(({ scope }) => scope.length))).toBe(1);
    const outputs = recordsOf(journal, 'tool_finished').map(({ result }) => result.output);
    expect(outputs).toEqual([expect.stringContaining('nested 1 deep'), 'Done.']);
  });

  it('let only so many run at a time; the others are refused, not queued', async () => {
    const three = Promise.withResolvers<void>();
    let arrived = 0;
    const meet = toolNamed('meet', async () => {
      if (++arrived === 3) three.resolve();
      await three.promise;
    });
    const part = [calls('meet'), { text: 'Done.' }];
    const script = cast({ main: [tasks('a', 'b', 'c', 'd', 'e'), { text: 'Thanks.' }], a: part, b: part, c: part });
    const agents = ['a', 'b', 'c', 'd', 'e'].map((name) => agent(name));
    const { options } = withAgents(script, agents, { tools: [meet], options: { maxParallel: 3 } });

    const { events } = await collect(runAgent(options));

    const answers = events.filter((event) => event.type === 'tool_result');
    expect(answers.filter(({ output }) => output === 'Done.')).toHaveLength(3);
    const refused = answers.filter(({ isError }) => isError);
    expect(refused.map(({ id }) => id).toSorted()).toEqual(['task3', 'task4']);
    expect(refused[0]?.output).toContain('3 agents run already');
  });

  it('count agents at all depths together, and only while they run', async () => {
    const script = cast({
      main: [tasks('self'), tasks('self'), { text: 'Thanks.' }],
      self: [tasks('self'), { text: 'Done.' }],
    });
    const { options, journal } = withAgents(script, [agent('self')], { options: { maxParallel: 1, maxDepth: 5 } });

    await collect(runAgent(options));

    const outputs = recordsOf(journal, 'tool_finished').map(({ result }) => result.output);
    const refused = expect.stringContaining('1 agents run already');
    expect(outputs).toEqual([refused, 'Done.', refused, 'Done.']);
  });

  it('belong to one run: another run of the same tool has its own', async () => {
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const meet = toolNamed('meet', async () => {
      if (++arrived === 2) both.resolve();
      await both.promise;
    });
    const script = cast({ main: [tasks('a'), { text: 'Thanks.' }], a: [calls('meet'), { text: 'Done.' }] });
    const one = withAgents(script, [agent('a')], { tools: [meet], options: { maxParallel: 1 } });
    const other = runOptions(script, { tools: one.options.config.tools.map(({ tool }) => tool) });

    const ends = await Promise.all([one, other].map(({ options }) => collect(runAgent(options))));

    for (const { value } of ends) expect(linesOf(value.messages)[2]).toBe('tool: Done.');
  });

  it('do not put the time limit of a tool on a task as a whole', async () => {
    const nap = toolNamed('nap', () => new Promise((resolve) => setTimeout(() => resolve('rested'), 15)));
    const script = cast({
      main: [tasks('helper'), { text: 'Thanks.' }],
      helper: [calls('nap'), calls('nap'), calls('nap'), { text: 'Rested.' }],
    });
    const { options } = withAgents(script, [agent('helper')], { tools: [nap, echo()], toolTimeout: 40 });

    const { value } = await collect(runAgent(options));

    expect(linesOf(value.messages)[2]).toBe('tool: Rested.');
  });
});
