import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { withBeforeAgent, withTools, withToolsFunc } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { ran } from '../test/ran.ts';
import { calls, echo, linesOf, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

const done = { text: 'Done.' };

describe('what beforeAgent leaves', () => {
  it('is what the run has: instruction, tools, input and limit of turns', async () => {
    const changes = withBeforeAgent((config) => {
      config.instruction = 'Be long.';
      config.tools = [{ tool: toolNamed('other', async () => 'other'), returnDirectly: false }];
      config.input = [userMessage('First.'), userMessage('Second.')];
      config.options.maxTurns = 1;
    });

    const { model, outputs, value } = await ran([calls('other', 'echo'), done], { handlers: [changes] });

    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]).toMatchObject({ instruction: 'Be long.', tools: [{ name: 'other' }] });
    expect(model.requests[0]!.messages.map((message) => linesOf([message])[0])).toEqual([
      'user: First.',
      'user: Second.',
    ]);
    expect(outputs).toEqual(['other', 'Tool not found: echo']);
    expect(value.subtype).toBe('max_turns');
  });

  it('decides about the input: a message it leaves out is not delivered, and does not wait for the next run', async () => {
    const [first, second] = [userMessage('First.'), userMessage('Second.')];
    const handlers = [
      withBeforeAgent((config) => ({ ...config, input: config.input.filter(({ id }) => id !== first.id) })),
    ];

    const { model, journal } = await ran([done], { handlers, input: [first, second] });

    expect(linesOf(model.requests[0]!.messages)).toEqual(['user: Second.']);
    expect(recordsOf(journal, 'note')).toEqual([
      { type: 'note', name: 'message_refused', data: { messageId: first.id } },
    ]);
  });

  it('has the returnDirectly that was set last', async () => {
    const direct = (returnDirectly: boolean) =>
      withToolsFunc((tools) => tools.map((one) => ({ ...one, returnDirectly })));

    const ends = await ran([calls('echo'), done], { handlers: [direct(false), direct(true)] });
    const goesOn = await ran([calls('echo'), done], { handlers: [direct(true), direct(false)] });

    expect(ends.value).toMatchObject({ content: '0' });
    expect(goesOn.value).not.toHaveProperty('content');
  });

  it('lacks a tool that one handler has added and a later one has taken out', async () => {
    const handlers = [
      withTools(
        toolNamed('a', async () => 'a'),
        toolNamed('b', async () => 'b'),
      ),
      withToolsFunc((tools) => tools.filter(({ tool }) => tool.name !== 'a')),
    ];

    const { model, outputs } = await ran([calls('a', 'b'), done], { handlers });

    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo', 'b']);
    expect(outputs).toEqual(['Tool not found: a', 'b']);
  });

  it('may replace a tool by one of the same name, and may not have two', async () => {
    const other = echo({ execute: async () => 'another echo' });

    const { outputs } = await ran([calls('echo'), done], { handlers: [withTools({ replace: true }, other)] });

    expect(outputs).toEqual(['another echo']);
    await expect(ran([done], { handlers: [withTools(other)] })).rejects.toThrow('Two tools are named echo');
  });

  it('is gone with the run: the next one starts from the config of the agent', async () => {
    const shared = { tool: toolNamed('extra', async () => 'extra'), returnDirectly: false };
    const handlers = [
      withBeforeAgent((config) => ({
        ...config,
        instruction: `${config.instruction} Kind.`,
        tools: [...config.tools, shared],
      })),
      withBeforeAgent(({ tools, input }) => {
        for (const meta of tools) meta.returnDirectly = !meta.returnDirectly;
        input.push(userMessage('More.'));
      }),
    ];
    const { options, model } = runOptions(() => calls('extra'), { handlers });

    const first = await collect(runAgent(options));
    const second = await collect(runAgent(options));

    expect(model.requests.map(({ instruction, tools }) => [instruction, tools.length])).toEqual(
      Array(2).fill(['Be short. Kind.', 2]),
    );
    expect([first.value.content, second.value.content]).toEqual(['extra', 'extra']);
    expect(options.config).toMatchObject({ instruction: 'Be short.', tools: [{ returnDirectly: false }], input: [{}] });
  });
});
