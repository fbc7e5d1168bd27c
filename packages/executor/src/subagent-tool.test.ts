import type { AgentEvent, AgentHandler, RunContext } from '@x/core';
import { collect, scriptedModel } from '@x/core/testing';
import { withInstruction, withTools } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { calls, linesOf, recordsOf, toolNamed } from '../test/run-options.ts';
import { agent, cast, tasks, withAgents } from '../test/subagents.ts';
import { runAgent } from './run-agent.ts';
import { subagentTool } from './subagent-tool.ts';

/** The answers that the outermost model was given. */
function answersIn(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'tool_result' ? [event.output] : []));
}

describe('subagentTool', () => {
  it('makes a readonly tool that says which agents there are and what they are for', () => {
    const tool = subagentTool({ agents: [agent('reader'), agent('writer')] });

    expect(tool).toMatchObject({
      name: 'Task',
      kind: 'readonly',
      effect: 'idempotent',
      parallelSafe: true,
      streaming: true,
    });
    expect(tool.description).toContain('- reader: Does what a reader does.\n- writer: Does what a writer does.');
    expect(tool.inputSchema.json['required']).toEqual(['subagent_type', 'description', 'prompt']);
  });

  it.each([
    ['no agents', { agents: [] }, 'at least one agent'],
    ['a model nobody can make', { agents: [agent('a', { model: 'small' })] }, 'give modelFor'],
    ['no depth', { agents: [agent('a')], maxDepth: 0 }, 'maxDepth must be'],
    ['half an agent at a time', { agents: [agent('a')], maxParallel: 0.5 }, 'maxParallel must be'],
  ])('refuses %s', (_, options, message) => {
    expect(() => subagentTool(options)).toThrow(message);
  });

  it('asks for the model of every definition that names one at once', () => {
    const modelFor = (name: string) => {
      throw new Error(`no model ${name}`);
    };

    expect(() => subagentTool({ agents: [agent('a', { model: 'small' })], modelFor })).toThrow('no model small');
  });

  it('answers with the last text of a run that starts with the prompt alone', async () => {
    const script = cast({
      main: [tasks('helper'), { text: 'Thanks.' }],
      helper: [calls('echo'), { text: 'It is done.' }],
    });
    const { options, model } = withAgents(script, [agent('helper')]);

    const { events, value } = await collect(runAgent(options));

    expect(answersIn(events)).toEqual(['It is done.']);
    expect(linesOf(value.messages)).toEqual([
      'user: Begin.',
      'assistant: <Task>',
      'tool: It is done.',
      'assistant: Thanks.',
    ]);
    expect(model.requests.map(({ instruction }) => instruction)).toEqual([
      'Be short.',
      'helper',
      'helper',
      'Be short.',
    ]);
    expect(linesOf(model.requests[2]!.messages)).toEqual(['user: Do it, helper.', 'assistant: <echo>', 'tool: 0']);
  });

  it('names the nearest agent and all known ones when there is none of the name', async () => {
    const script = cast({ main: [tasks('reviwer'), { text: 'Done.' }] });
    const { options } = withAgents(script, [agent('helper'), agent('reviewer')]);

    const { events } = await collect(runAgent(options));

    expect(answersIn(events)).toEqual(['There is no agent reviwer; did you mean reviewer? Known: helper, reviewer']);
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', isError: true }));
  });

  it('records under the scope of its call, with ids and keys of its own', async () => {
    const script = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('echo'), { text: 'Done.' }] });
    const { options, journal } = withAgents(script, [agent('helper')]);

    await collect(runAgent(options));

    const scopes = journal.records.map(({ scope, record }) => `${scope.join('/')}:${record.type}`);
    expect(scopes).toEqual([
      ':message',
      ':message',
      ':tool_started',
      'task0:message',
      'task0:message',
      'task0:tool_started',
      'task0:tool_finished',
      'task0:message',
      ':tool_finished',
      ':message',
    ]);
    expect(recordsOf(journal, 'tool_started').map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      's:task0',
      's:echo0',
    ]);
  });

  it('gives the run a context of its own: one deeper, named, with its parent, and the ids of the session', async () => {
    const seen: RunContext[] = [];
    const watch: AgentHandler = { name: 'watch', beforeAgent: (_, run) => void seen.push(run) };
    const script = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [{ text: 'Done.' }] });
    const { options } = withAgents(script, [agent('helper')], { handlers: [watch] });

    await collect(runAgent(options));

    const { sessionId, runId, messageId } = options.run;
    expect(seen[1]).toMatchObject({ sessionId, runId, messageId, depth: 1, agentName: 'helper' });
    expect(seen[1]?.parent).toEqual({ run: options.run, callId: 'task0' });
    expect(seen[0]?.parent).toBeUndefined();
  });

  it('uses the model of the definition, and without one that of the outermost run, however deep it is', async () => {
    const small = scriptedModel([tasks('shared'), { text: 'Small.' }], { name: 'small' });
    const agents = [agent('own', { model: 'small' }), agent('shared')];
    const script = cast({ main: [tasks('own'), { text: 'Thanks.' }], shared: [{ text: 'Shared.' }] });
    const { options, model } = withAgents(script, agents, { options: { modelFor: () => small } });

    await collect(runAgent(options));

    expect(small.requests).toHaveLength(2);
    expect(model.requests).toHaveLength(3);
  });

  it('uses the model of the definition beside an agent without one', async () => {
    const small = scriptedModel([{ text: 'Small.' }], { name: 'small' });
    const agents = [agent('own', { model: 'small' }), agent('shared')];
    const script = cast({ main: [tasks('own', 'shared'), { text: 'Thanks.' }], shared: [{ text: 'Shared.' }] });
    const { options } = withAgents(script, agents, { options: { modelFor: () => small } });

    const { events } = await collect(runAgent(options));

    expect(answersIn(events).toSorted()).toEqual(['Shared.', 'Small.']);
    expect(small.requests).toHaveLength(1);
  });

  it('works in the workspace of the run, also when a handler has narrowed that of the call', async () => {
    const cwds: string[] = [];
    const look = toolNamed('look', async (_, { cwd }) => void cwds.push(cwd));
    const narrow: AgentHandler = {
      name: 'narrow',
      wrapToolCall: (call, next) =>
        next({ ...call, workspace: { ...call.workspace, cwd: `${call.workspace.cwd}/in` } }),
    };
    const script = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('look'), { text: 'Done.' }] });
    const { options } = withAgents(script, [agent('helper')], { tools: [look], handlers: [narrow] });

    await collect(runAgent(options));

    expect(cwds).toEqual(['/workspace/in']);
  });

  it('is shaped by the handlers once, not on top of what they made of its parent', async () => {
    const extra = toolNamed('extra', async () => 'extra');
    const handlers = [withInstruction('Be kind.'), withTools(extra)];
    const done = [{ text: 'Done.' }];
    const script = cast({ main: [tasks('heir', 'own'), { text: 'Thanks.' }], own: done, heir: done });
    const agents = [{ name: 'heir', description: 'Has no prompt of its own.' }, agent('own')];
    const { options, model } = withAgents(script, agents, { handlers });

    await collect(runAgent(options));

    expect(model.requests.map(({ instruction }) => instruction).toSorted()).toEqual([
      'Be short.\nBe kind.',
      'Be short.\nBe kind.',
      'Be short.\nBe kind.',
      'own\nBe kind.',
    ]);
    for (const { tools } of model.requests)
      expect(tools.map(({ name }) => name).toSorted()).toEqual(['Task', 'echo', 'extra']);
  });

  it('does not return directly where its parent would', async () => {
    const script = cast({
      main: [tasks('helper'), { text: 'Thanks.' }],
      helper: [calls('echo'), { text: 'Went on.' }],
    });
    const { options } = withAgents(script, [agent('helper')], { direct: ['echo'] });

    const { events } = await collect(runAgent(options));

    expect(answersIn(events)).toEqual(['Went on.']);
  });

  it('answers with the output of a tool that a handler lets return directly', async () => {
    const direct: AgentHandler = {
      name: 'direct',
      beforeAgent: (config, { depth }) => {
        for (const meta of config.tools) if (meta.tool.name === 'echo') meta.returnDirectly = depth === 1;
      },
    };
    const script = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('echo')] });
    const { options } = withAgents(script, [agent('helper')], { handlers: [direct] });

    const { events } = await collect(runAgent(options));

    expect(answersIn(events)).toEqual(['0']);
  });

  it('says how far it came when it is stopped at its limit of turns', async () => {
    const script = cast({
      main: [tasks('helper'), { text: 'Thanks.' }],
      helper: [{ text: 'Half of it.', ...calls('echo') }, calls('echo')],
    });
    const { options } = withAgents(script, [agent('helper')], { maxTurns: 2 });

    const { events } = await collect(runAgent(options));

    expect(answersIn(events)[0]).toBe(
      'The agent helper was stopped at its limit of turns, before its task was done. What it said last:\n\nHalf of it.',
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', id: 'task0', isError: true }));
  });

  it('refuses to work outside of a run', async () => {
    const tool = subagentTool({ agents: [agent('helper')] });
    const { options } = withAgents([], [agent('helper')]);
    const context = { run: options.run, callId: 'c', signal: options.run.signal } as never;

    const running = collect(tool.execute({ subagent_type: 'helper', description: '', prompt: '' }, context));

    await expect(running).rejects.toThrow('only as a tool of runAgent');
  });

  it('tells observers which listed tools the parent does not have', async () => {
    const script = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [{ text: 'Done.' }] });
    const { options } = withAgents(script, [agent('helper', { tools: ['echo', 'Bash'] })]);

    const { events } = await collect(runAgent(options));

    expect(events.filter(({ type }) => type === 'notification')).toEqual([
      {
        type: 'notification',
        kind: 'subagent_tools_missing',
        message: 'The agent helper runs without Bash: the agent that called it does not have it',
      },
    ]);
  });
});
