import { type AgentConfig, type AgentHandler, type ToolMeta, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { configOf, run, tool } from '../test/values.ts';
import { ownHandler } from './own-handler.ts';
import { Pipeline } from './pipeline.ts';
import { withBeforeAgent, withTools, withToolsFunc } from './with.ts';

const before = (beforeAgent: NonNullable<AgentHandler['beforeAgent']>): AgentHandler => ({ name: 'h', beforeAgent });
const left = (config: AgentConfig, ...handlers: AgentHandler[]) => new Pipeline(handlers).beforeAgent(config, run());

describe('the config that beforeAgent leaves', () => {
  const other = userMessage('Another beginning.');
  const changes = {
    instruction: ['Changed.', (config: AgentConfig) => config.instruction],
    tools: [[{ tool: tool('other'), returnDirectly: true }], (config: AgentConfig) => config.tools],
    input: [[other], (config: AgentConfig) => config.input],
    options: [{ maxTurns: 1 }, (config: AgentConfig) => config.options],
  } as const;

  it.each(Object.entries(changes))(
    'has the %s that a handler has set in place or in another config',
    async (key, [value, read]) => {
      const inPlace = await left(
        configOf(tool()),
        before((config) => void Object.assign(config, { [key]: value })),
      );
      const returned = await left(
        configOf(tool()),
        before((config) => ({ ...config, [key]: value })),
      );

      expect(read(inPlace)).toEqual(value);
      expect(read(returned)).toEqual(value);
    },
  );

  it('has what was changed inside a field', async () => {
    const config = await left(
      configOf(tool('a'), tool('b')),
      before((given) => {
        given.tools[0]!.returnDirectly = true;
        given.tools.splice(1, 1, { tool: tool('c'), returnDirectly: false });
        given.input.push(other);
        given.options.maxTurns += 1;
      }),
    );

    expect(config.tools.map((meta) => [meta.tool.name, meta.returnDirectly])).toEqual([
      ['a', true],
      ['c', false],
    ]);
    expect(config.input.at(-1)).toBe(other);
    expect(config.options.maxTurns).toBe(6);
  });

  it.each([
    ['a config of its own', (kept: ToolMeta[]) => withBeforeAgent((config) => ({ ...config, tools: kept }))],
    ['a list of its own', (kept: ToolMeta[]) => withToolsFunc(() => kept)],
    ['entries of its own', (kept: ToolMeta[]) => withBeforeAgent((config) => void config.tools.push(...kept))],
  ])('shares nothing with the next run, even when a handler hands out %s', async (_, handing) => {
    const kept = [{ tool: tool('a'), returnDirectly: false }];
    const greedy = before((config) => {
      config.tools[0]!.returnDirectly = !config.tools[0]!.returnDirectly;
      config.tools.push({ tool: tool('b'), returnDirectly: false });
    });
    const names = async () =>
      (await left(configOf(), handing(kept), greedy)).tools.map((meta) => [meta.tool.name, meta.returnDirectly]);

    expect(await names()).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(await names()).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(kept).toMatchObject([{ returnDirectly: false }]);
  });

  it('is not changed by a handler that comes back to it later', async () => {
    let kept: AgentConfig | undefined;
    const config = await left(
      configOf(tool()),
      before((given) => void (kept = given)),
    );

    kept!.tools.length = 0;
    kept!.options.maxTurns = 99;

    expect(config.tools).toHaveLength(1);
    expect(config.options.maxTurns).toBe(5);
  });

  it.each<[string, unknown]>([
    ['instruction', 'x'],
    ['instruction', { tools: [], input: [], options: { maxTurns: 1 } }],
    ['tools', { ...configOf(), tools: undefined }],
    ['tools', { ...configOf(), tools: [tool()] }],
    ['tools', { ...configOf(), tools: [{ tool: tool() }] }],
    ['tools', { ...configOf(), tools: [{ tool: { name: 'half' }, returnDirectly: false }] }],
    ['tools', { ...configOf(), tools: [null] }],
    ['input', { ...configOf(), input: [{ role: 'assistant' }] }],
    ['input', { ...configOf(), input: 'Begin.' }],
    ['maxTurns', { ...configOf(), options: {} }],
    ['maxTurns', { ...configOf(), options: { maxTurns: Number.NaN } }],
    ['maxTurns', { ...configOf(), options: undefined }],
  ])('ends the run when its %s is none any more: %#', async (what, broken) => {
    const later = before(() => expect.unreachable());

    await expect(
      left(
        configOf(),
        before(() => broken as never),
        later,
      ),
    ).rejects.toMatchObject({
      code: 'HANDLER_ERROR',
      message: expect.stringMatching(new RegExp(`^beforeAgent of handler h must leave .*${what}`)),
    });
  });

  it('may have no limit of turns', async () => {
    const config = await left(
      configOf(),
      before((given) => void (given.options.maxTurns = Number.POSITIVE_INFINITY)),
    );

    expect(config.options.maxTurns).toBe(Number.POSITIVE_INFINITY);
  });

  it('has each tool once: a second of the name ends the run, unless it replaces the first', async () => {
    await expect(left(configOf(tool('a')), withTools(tool('a')))).rejects.toThrow('Two tools are named a');

    const replaced = await left(configOf(tool('a')), withTools({ replace: true }, tool('a', { description: 'New.' })));

    expect(replaced.tools.map((meta) => meta.tool.description)).toEqual(['New.']);
  });

  it('has each tool once, also where as many distinct ones were seen just before', async () => {
    await left(configOf(tool('a'), tool('b')));
    await left(configOf(tool('a'), tool('b')));

    await expect(left(configOf(tool('a'), tool('a')))).rejects.toThrow('Two tools are named a');
    await expect(left(configOf(tool('a'), tool('a')))).rejects.toThrow('Two tools are named a');
  });

  it('is not shared with the caller behind a handler of ours, nor what a handler of the host edits in it then', async () => {
    const config = configOf(tool('a'));
    const own = ownHandler(before((given) => void given.tools.length));

    const kept = await left(config, own);
    const edited = await left(
      config,
      own,
      before(({ tools }) => void (tools[0]!.returnDirectly = true)),
    );

    expect(kept).toEqual(config);
    expect([kept === config, kept.tools === config.tools, kept.input === config.input]).toEqual([false, false, false]);
    expect(edited.tools).toMatchObject([{ returnDirectly: true }]);
    expect(config.tools).toMatchObject([{ returnDirectly: false }]);
  });
});
