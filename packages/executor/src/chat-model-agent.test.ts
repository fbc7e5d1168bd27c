import { AgentError, type AgentHandler, objectSchema, type ToolDefinition, userMessage, type Workspace } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { BaseAgentHandler, withInstruction } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { agentOf } from '../test/chat-agent.ts';
import { calls, echo, linesOf, toolNamed } from '../test/run-options.ts';
import { cast, agent as definition, tasks } from '../test/subagents.ts';
import { memoryJournal } from './index.ts';

describe('createChatModelAgent', () => {
  it('says its name and what it is for', () => {
    expect(agentOf([]).agent).toMatchObject({ name: 'assistant', description: 'Helps.' });
  });

  it('puts middlewares before handlers, each in list order, and copies the lists', async () => {
    const handlers = [withInstruction('third')];
    const middlewares = [{ additionalInstruction: 'first' }, { additionalInstruction: 'second' }];
    const { agent, model } = agentOf([{ text: 'Hello.' }], { handlers, middlewares });
    handlers.push(withInstruction('late'));
    middlewares.pop();

    await agent.run('Hi.');

    expect(model.requests[0]?.instruction).toBe('Be short.\nfirst\nsecond\nthird');
  });

  it('takes definitions as tools', async () => {
    const inputSchema = objectSchema({});
    const now: ToolDefinition = { name: 'now', description: 'The time.', inputSchema, execute: async () => 'noon' };
    const { agent } = agentOf([calls('now'), { text: 'It is noon.' }], { tools: [now] });

    expect(linesOf((await agent.run('When?')).messages)[2]).toBe('tool: noon');
  });

  it.each<[string, object, string]>([
    ['an option that is not known', { instructions: 'x' }, 'unknown instructions; did you mean instruction?'],
    ['no name', { name: '' }, 'name must be a text that is not blank'],
    ['no description', { description: undefined }, 'description must be a text that is not blank'],
    ['no model', { model: { name: 'm' } }, 'model must be a Model'],
    ['no limit of turns', { maxTurns: 0 }, 'maxTurns must be a whole number from 1'],
    ['half a second', { toolTimeout: 0.5 }, 'toolTimeout must be'],
    ['an end nobody knows', { onToolTimeout: 'ignore' }, 'must be one of result, throw'],
    ['tools that are no list', { tools: echo() }, 'tools must be a list'],
    ['two tools of one name', { tools: [echo(), echo()] }, 'Two tools are named echo'],
    [
      'a tool named as that for agents',
      { tools: [toolNamed('Task', async () => '')], agents: [definition('a')] },
      'Two tools are named Task',
    ],
    ['what is no handler', { handlers: [{}] }, 'A handler needs a name'],
    ['a depth without agents', { maxSubagentDepth: 2 }, 'maxSubagentDepth has no effect without agents'],
    ['two agents of one name', { agents: [definition('a'), definition('a')] }, 'Two agents are named a'],
  ])('refuses %s', (_, options, message) => {
    expect(() => agentOf([], options)).toThrow(message);
  });

  it('gives tools a workspace whose doors refuse, unless it is given one', async () => {
    const failures: string[] = [];
    const note = (error: unknown) => void failures.push((error as Error).message);
    const open = async (workspace: Workspace) => {
      const { readFile, writeFile, resolve, remove, stat, makeLink, makeDirectory, fetch } = workspace;
      await readFile('a').catch(note);
      await writeFile('a', new Uint8Array()).catch(note);
      await resolve('a').catch(note);
      await remove('a').catch(note);
      await stat('a').catch(note);
      await makeLink('a', 'b').catch(note);
      await makeDirectory('a').catch(note);
      await fetch(new Request('http://localhost')).catch(note);
      expect(() => workspace.list('a')).toThrow('no workspace for list');
      expect(() => workspace.spawn('ls', { signal: new AbortController().signal })).toThrow('no workspace for spawn');
      return workspace.cwd;
    };
    const look = toolNamed('look', (_, { workspace }) => open(workspace));
    const script = [calls('look'), { text: 'Done.' }];

    await agentOf(script, { tools: [look] }).agent.run('Look.');
    const shut = failures.splice(0);
    await agentOf(script, {
      tools: [toolNamed('look', async (_, { cwd }) => void failures.push(cwd))],
      workspace: memoryWorkspace(),
    }).agent.run('Look.');

    expect(shut).toHaveLength(8);
    for (const message of shut) expect(message).toContain('give createChatModelAgent a workspace');
    expect(failures).toEqual(['/workspace']);
  });
});

describe('run', () => {
  it('resolves with the answer, the conversation, the usage and the turns', async () => {
    const { agent } = agentOf([calls('echo'), { text: 'Done.' }]);

    const result = await agent.run('Begin.');

    expect(result).toMatchObject({ subtype: 'success', content: 'Done.', turns: 2 });
    expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 10, totalTokens: 30 });
    expect(linesOf(result.messages)).toEqual(['user: Begin.', 'assistant: <echo>', 'tool: 0', 'assistant: Done.']);
  });

  it('goes on with a conversation, of which only the last user messages are its input', async () => {
    const asked: string[] = [];
    const handler: AgentHandler = {
      name: 'asks',
      beforeUserMessage: (message) => void asked.push(linesOf([message])[0]!),
    };
    const { agent, model } = agentOf(() => ({ text: 'Hello.' }), { handlers: [handler] });
    const { messages } = await agent.run('Hi.');

    const second = await agent.run([...messages, userMessage('You there?'), userMessage('Hello?')]);

    expect(asked).toEqual(['user: Hi.', 'user: You there?', 'user: Hello?']);
    expect(linesOf(model.requests[1]!.messages)).toEqual([
      'user: Hi.',
      'assistant: Hello.',
      'user: You there?',
      'user: Hello?',
    ]);
    expect(second).toMatchObject({ turns: 1, usage: { totalTokens: 15 } });
  });

  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['no messages', []],
    ['something else', { role: 'user' }],
  ])('refuses %s', async (_, input) => {
    await expect(agentOf([]).agent.run(input as string)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('refuses a conversation that was answered already, and options that are not known', async () => {
    const { agent } = agentOf([{ text: 'Hello.' }]);
    const { messages } = await agent.run('Hi.');

    await expect(agent.run(messages)).rejects.toThrow('There is nothing to answer');
    await expect(agent.run('Hi.', { signl: 1 } as never)).rejects.toThrow('did you mean signal?');
  });

  it('resolves with `max_turns` and the last text at the limit', async () => {
    const { agent } = agentOf(() => ({ text: 'Again.', ...calls('echo') }), { maxTurns: 2 });

    expect(await agent.run('Begin.')).toMatchObject({ subtype: 'max_turns', content: 'Again.', turns: 2 });
  });

  it('resolves with `aborted` when its signal is aborted, before or meanwhile', async () => {
    const controller = new AbortController();
    const stop = toolNamed('stop', () => {
      controller.abort();
      return new Promise(() => undefined);
    });
    const { agent, model } = agentOf([calls('stop')], { tools: [stop] });

    const before = await agent.run('Begin.', { signal: AbortSignal.abort() });
    const meanwhile = await agent.run('Begin.', { signal: controller.signal });

    expect(before).toMatchObject({ subtype: 'aborted', content: '', turns: 0 });
    expect(meanwhile.subtype).toBe('aborted');
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ['a model', [{ error: new AgentError('overloaded', { code: 'MODEL_ERROR' }) }], []],
    [
      'a handler',
      [{ text: 'Hi.' }],
      [{ name: 'h', afterAgent: () => Promise.reject(new AgentError('overloaded', { code: 'X' })) }],
    ],
  ])('rejects with the error of %s', async (_, script, handlers) => {
    await expect(agentOf(script, { handlers }).agent.run('Hi.')).rejects.toThrow('overloaded');
  });

  it('hands tasks to its agents, and counts what they use', async () => {
    const script = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('echo'), { text: 'Done.' }] });
    const { agent } = agentOf(script, { agents: [definition('helper')] });

    const { messages, usage, turns } = await agent.run('Begin.');

    expect(linesOf(messages)[2]).toBe('tool: Done.');
    expect(usage.totalTokens).toBe(60);
    expect(turns).toBe(2);
  });

  it('goes on behind the journal of an interrupted run, with the keys of its calls', async () => {
    const keys: string[] = [];
    const keep = toolNamed('keep', async (_, { idempotencyKey }) => void keys.push(idempotencyKey));
    const { agent } = agentOf([calls('keep'), { text: 'Done.' }], { tools: [keep] });
    const first = memoryJournal();
    await agent.run('Begin.', { journal: first, sessionId: 'night' });
    const started = first.records.findIndex(({ record }) => record.type === 'tool_started');

    const journal = memoryJournal({ records: first.records.slice(0, started + 1) });
    const { agent: again } = agentOf([{ text: 'Done.' }], { tools: [keep] });
    const result = await again.run([], { journal, sessionId: 'night' });

    expect(keys).toEqual(['night:keep0', 'night:keep0']);
    expect(result).toMatchObject({ content: 'Done.', turns: 2 });
  });

  it('shares nothing with another run of the agent', async () => {
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const meet = toolNamed('meet', async (_, { sessionId }) => {
      if (++arrived === 2) both.resolve();
      await both.promise;
      return sessionId;
    });
    const { agent } = agentOf(({ messages }) => (messages.length === 1 ? calls('meet') : { text: 'Done.' }), {
      tools: [meet],
    });

    const [one, other] = await Promise.all([agent.run('One.'), agent.run('Other.')]);

    expect(linesOf(one.messages)[0]).toBe('user: One.');
    expect(linesOf(other.messages)[0]).toBe('user: Other.');
    expect(linesOf(one.messages)[2]).not.toBe(linesOf(other.messages)[2]);
    expect(one.usage).toEqual({ inputTokens: 20, outputTokens: 10, totalTokens: 30 });
  });

  it('shares no handler state with another agent that has a handler of its own', async () => {
    class Counter extends BaseAgentHandler {
      count = 0;
      override async beforeAgent() {
        this.count += 1;
      }
    }
    const [mine, yours] = [new Counter('mine'), new Counter('yours')];
    const one = agentOf(() => ({ text: 'Hi.' }), { handlers: [mine] }).agent;
    agentOf(() => ({ text: 'Hi.' }), { handlers: [yours] });

    await Promise.all([one.run('a'), one.run('b')]);

    expect([mine.count, yours.count]).toEqual([2, 0]);
  });
});
