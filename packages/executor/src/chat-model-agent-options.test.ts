import type { AgentHandler } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { agentOf } from '../test/chat-agent.ts';
import { linesOf } from '../test/run-options.ts';
import { cast, agent as definition, tasks } from '../test/subagents.ts';
import { createChatModelAgent } from './chat-model-agent.ts';
import { chatModelAgentParts } from './chat-model-agent-options.ts';

const needed = { name: 'assistant', description: 'Helps.', model: scriptedModel([]) };
const parts = (more: object = {}) => chatModelAgentParts({ ...needed, ...more });
const done = { text: 'Done.' };

describe('validate', () => {
  it('rejects with what a beforeAgent throws, before there is a run, and lets handlers clean up', async () => {
    const told: string[] = [];
    const failure = new Error('no key');
    const opens: AgentHandler = {
      name: 'opens',
      beforeAgent: () => undefined,
      runEnded: () => void told.push('ended'),
    };
    const fails: AgentHandler = { name: 'fails', beforeAgent: () => Promise.reject(failure) };
    const model = scriptedModel([]);
    const made = (...handlers: AgentHandler[]) =>
      createChatModelAgent({ name: 'a', description: 'A.', model, handlers });

    await expect(made(opens, fails).validate()).rejects.toBe(failure);
    await expect(made(opens).validate()).resolves.toBeUndefined();

    expect(told).toEqual(['ended', 'ended']);
    expect(model.requests).toEqual([]);
  });
});

describe('chatModelAgentParts', () => {
  it('hands on the limits that were given, and no others', () => {
    const limits = {
      maxParallelTools: 2,
      toolTimeout: 1_000,
      onToolTimeout: 'throw',
      maxToolOutputBytes: 100,
      reconcile: async () => undefined,
    };

    expect(parts(limits).limits).toEqual(limits);
    expect(parts().limits).toStrictEqual({});
    for (const [name, limit] of Object.entries(limits)) {
      expect(parts({ [name]: limit }).limits).toStrictEqual({ [name]: limit });
    }
  });

  it('has no instruction, no tools and 200 turns unless it is told otherwise', () => {
    expect(parts()).toMatchObject({ instruction: '', tools: [], maxTurns: 200 });
    expect(parts({ instruction: 'Be short.', maxTurns: 3 })).toMatchObject({ instruction: 'Be short.', maxTurns: 3 });
    expect(parts({ agents: [definition('a')] }).tools).toMatchObject([{ name: 'Task' }]);
  });

  it.each([undefined, null, 'options', 7])('refuses %j, which are no options', (options) => {
    expect(() => chatModelAgentParts(options as never)).toThrow(/^The options must be an object, not /);
  });

  it.each<[string, object]>([
    ['instruction must be a text, not a list', { instruction: ['Be short.'] }],
    ['name must be a text that is not blank, not " "', { name: ' ' }],
    ['model must be a Model, with a stream function, not null', { model: null }],
    ['maxSubagentDepth must be a whole number from 1, not 0', { maxSubagentDepth: 0, agents: [definition('a')] }],
    ['maxParallelTools must be a whole number from 1, not "2"', { maxParallelTools: '2' }],
    ['middlewares must be a list, not an object', { middlewares: {} }],
    ['agents must be a list, not a collection', { agents: new Set() }],
    ['modelFor has no effect without agents; leave it out', { modelFor: () => needed.model }],
    ['maxParallelSubagents has no effect without agents; leave it out', { maxParallelSubagents: 1, agents: [] }],
  ])('refuses what does not fit, and names it: %s', (message, options) => {
    const [field] = message.split(' ');

    expect(() => parts(options)).toThrow(expect.objectContaining({ name: 'ValidationError', message, field }));
  });
});

describe('the options of agents that an agent hands tasks to', () => {
  const outer = [tasks('lead'), done];

  it('are honoured: the model that one names', async () => {
    const model = scriptedModel([{ text: 'By the other model.' }]);
    const asked: string[] = [];
    const modelFor = (name: string) => {
      asked.push(name);
      return model;
    };
    const { agent } = agentOf(outer, { agents: [definition('lead', { model: 'other' })], modelFor });

    const { messages } = await agent.run('Go.');

    expect(asked).toEqual(['other']);
    expect(linesOf(messages)).toContain('tool: By the other model.');
  });

  it.each<[number, number]>([
    [1, 1],
    [2, 2],
  ])('are honoured: %i levels of them', async (maxSubagentDepth, runs) => {
    const agents = [definition('lead'), definition('hand')];
    const { agent, model } = agentOf(cast({ main: outer, lead: [tasks('hand'), done], hand: [done] }), {
      agents,
      maxSubagentDepth,
    });

    await agent.run('Go.');

    expect(new Set(model.requests.map(({ instruction }) => instruction)).size - 1).toBe(runs);
  });

  it.each([1, 2])('are honoured: %i of them at once', async (maxParallelSubagents) => {
    let running = 0;
    let most = 0;
    const agents = ['a', 'b', 'c'].map((name) => definition(name, { model: 'slow' }));
    const modelFor = () => {
      const inner = scriptedModel([done]);
      return Object.assign(Object.create(inner), {
        async *stream(request: Parameters<typeof inner.stream>[0]) {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          const message = yield* inner.stream(request);
          running -= 1;
          return message;
        },
      });
    };
    const { agent } = agentOf([tasks('a', 'b', 'c'), done], { agents, modelFor, maxParallelSubagents });

    await agent.run('Go.');

    expect(most).toBe(maxParallelSubagents);
  });
});
