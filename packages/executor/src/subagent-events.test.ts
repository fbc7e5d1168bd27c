import type { AgentHandler } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, linesOf, recordsOf, toolNamed } from '../test/run-options.ts';
import { agent, cast, innermost, tasks, withAgents } from '../test/subagents.ts';
import { runAgent } from './run-agent.ts';

describe('the events of a subagent', () => {
  const script = cast({
    main: [tasks('outer'), { text: 'Thanks.' }],
    outer: [{ text: 'o', ...tasks('inner') }, { text: 'Done.' }],
    inner: [{ text: 'i', ...calls('echo') }, { text: 'Done.' }],
  });
  const agents = [agent('outer'), agent('inner')];

  it('are yielded inside of `subagent` events, once more for each level', async () => {
    const { options } = withAgents(script, agents);

    const { events } = await collect(runAgent(options));

    const nested = events.filter((event) => event.type === 'subagent');
    expect(nested[0]).toMatchObject({ callId: 'task0', agentName: 'outer', event: { type: 'turn_start', turn: 1 } });
    const inner = nested.map(({ event }) => event).filter((event) => event.type === 'subagent');
    expect(inner[0]).toMatchObject({ agentName: 'inner', event: { type: 'turn_start' } });
    expect(inner.every(({ callId }) => callId.startsWith('call_'))).toBe(true); // task0 was taken
    expect(inner).toContainEqual(expect.objectContaining({ event: { type: 'content', delta: 'i' } }));
  });

  it('reach observers as themselves, with the run they belong to, and wrapped, with the run around it', async () => {
    const seen: string[] = [];
    const watch: AgentHandler = {
      name: 'watch',
      onEvent: (event, run) => {
        const inner = innermost([event])[0]!;
        if (inner.type === 'content' && inner.delta === 'i') seen.push(`${run.agentName}:${event.type}`);
      },
    };
    const { options } = withAgents(script, agents, { handlers: [watch] });

    await collect(runAgent(options));

    expect(seen).toEqual(['inner:content', 'outer:subagent', 'main:subagent']);
  });

  it('let a reader add up all usage, and an observer too, by either form', async () => {
    let byType = noUsage();
    let byOuterRun = noUsage();
    const watch: AgentHandler = {
      name: 'watch',
      onEvent: (event, { depth }) => {
        if (event.type === 'usage') byType = addUsage(byType, event.usage);
        const inner = innermost([event])[0]!;
        if (depth === 0 && inner.type === 'usage') byOuterRun = addUsage(byOuterRun, inner.usage);
      },
    };
    const { options, journal } = withAgents(script, agents, { handlers: [watch] });

    const { events } = await collect(runAgent(options));

    const replies = recordsOf(journal, 'message').flatMap(({ message }) =>
      message.role === 'assistant' ? [message] : [],
    );
    const recorded = replies.reduce((sum, { usage }) => addUsage(sum, usage), noUsage());
    const read = innermost(events).reduce(
      (sum, one) => (one.type === 'usage' ? addUsage(sum, one.usage) : sum),
      noUsage(),
    );
    expect(replies).toHaveLength(6);
    expect([byType, byOuterRun, read]).toEqual([recorded, recorded, recorded]);
  });

  it('come from agents that run side by side', async () => {
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const meet = toolNamed('meet', async () => {
      if (++arrived === 2) both.resolve();
      await both.promise;
      return 'met';
    });
    const parallel = cast({
      main: [tasks('a', 'b'), { text: 'Thanks.' }],
      a: [calls('meet'), { text: 'A.' }],
      b: [calls('meet'), { text: 'B.' }],
    });
    const { options } = withAgents(parallel, [agent('a'), agent('b')], { tools: [meet] });

    const { value } = await collect(runAgent(options));

    expect(linesOf(value.messages)[2]).toBe('tool: A. B.');
  });
});
