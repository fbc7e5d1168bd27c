import { fc, test } from '@fast-check/vitest';
import { type AgentConfig, defineTool, type Tool, type ToolMeta, userMessage, ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { run } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';
import {
  withAfterModelRewriteHistory,
  withBeforeAgent,
  withBeforeModelRewriteHistory,
  withInstruction,
  withInstructionFunc,
  withInvokableToolWrapper,
  withStreamableToolWrapper,
  withTools,
  withToolsFunc,
} from './with.ts';

const tool = (name: string, description = 'd'): Tool =>
  defineTool({ name, description, inputSchema: z.object({}), execute: async () => name }) as Tool;
const meta = (name: string, returnDirectly = false): ToolMeta => ({ tool: tool(name), returnDirectly });
const config = (instruction = 'base', tools: ToolMeta[] = []): AgentConfig => ({
  instruction,
  tools,
  input: [userMessage('hi')],
  options: { maxTurns: 5 },
});
const names = (changed: AgentConfig) => changed.tools.map((one) => one.tool.name);

describe('withInstruction', () => {
  test.prop([fc.string(), fc.array(fc.string(), { maxLength: 4 })])(
    'appends a line feed and the text, one handler after the other',
    async (before, texts) => {
      const changed = await new Pipeline(texts.map(withInstruction)).beforeAgent(config(before), run());

      expect(changed.instruction).toBe([before, ...texts].join('\n'));
    },
  );

  it('leaves the config it was given as it is', async () => {
    const given = config();

    await withInstruction('more').beforeAgent?.(given, run());

    expect(given.instruction).toBe('base');
  });

  it('gives the same result to two runs at the same time', async () => {
    const pipeline = new Pipeline([withInstruction('more'), withTools(tool('a'))]);

    const [one, two] = await Promise.all([
      pipeline.beforeAgent(config('one'), run()),
      pipeline.beforeAgent(config('two'), run()),
    ]);

    expect([one.instruction, two.instruction]).toEqual(['one\nmore', 'two\nmore']);
    expect([names(one), names(two)]).toEqual([['a'], ['a']]);
  });
});

describe('withInstructionFunc', () => {
  it('replaces the instruction by what the function returns, and hands it the run', async () => {
    const current = run();
    const handler = withInstructionFunc(async (instruction, given) => `${given === current} <${instruction}>`);

    const changed = await new Pipeline([handler]).beforeAgent(config(), current);

    expect(changed.instruction).toBe('true <base>');
  });

  it('can prefix, replace and append in one list', async () => {
    const pipeline = new Pipeline([
      withInstructionFunc((text) => `first ${text}`),
      withInstruction('last'),
      withInstructionFunc((text) => text.toUpperCase()),
    ]);

    expect((await pipeline.beforeAgent(config(), run())).instruction).toBe('FIRST BASE\nLAST');
  });

  it('ends the run when the function forgets to return', async () => {
    const pipeline = new Pipeline([withInstructionFunc((() => undefined) as never)]);

    await expect(pipeline.beforeAgent(config(), run())).rejects.toMatchObject({ code: 'HANDLER_ERROR' });
  });
});

describe('withTools', () => {
  it('appends the tools in order, none of them returning directly', async () => {
    const changed = await new Pipeline([withTools(tool('a'), tool('b'))]).beforeAgent(config('', [meta('z')]), run());

    expect(names(changed)).toEqual(['z', 'a', 'b']);
    expect(changed.tools.map((one) => one.returnDirectly)).toEqual([false, false, false]);
  });

  it('makes two tools of one name an error of the run', async () => {
    const pipeline = new Pipeline([withTools(tool('a'))]);

    await expect(pipeline.beforeAgent(config('', [meta('a')]), run())).rejects.toThrow('Two tools are named a');
  });

  it('replaces with { replace: true }: same place, same returnDirectly; appends what is new', async () => {
    const handler = withTools({ replace: true }, tool('a', 'new'), tool('c'));

    const changed = await new Pipeline([handler]).beforeAgent(config('', [meta('a', true), meta('b')]), run());

    expect(names(changed)).toEqual(['a', 'b', 'c']);
    expect(changed.tools[0]).toMatchObject({ tool: { description: 'new' }, returnDirectly: true });
  });

  it('leaves the list it was given as it is', async () => {
    const given = config('', [meta('a')]);

    await withTools({ replace: true }, tool('a', 'new')).beforeAgent?.(given, run());
    await withTools(tool('b')).beforeAgent?.(given, run());

    expect(given.tools.map((one) => one.tool.description)).toEqual(['d']);
  });

  it('accepts no tools at all', async () => {
    expect(names(await new Pipeline([withTools()]).beforeAgent(config('', [meta('a')]), run()))).toEqual(['a']);
  });

  it.each([[undefined], [null], [{ name: 'half' }], [{ replace: false }], [{ replace: true, more: 1 }]])(
    'refuses %j when it is made',
    (given) => {
      expect(() => withTools(given as never)).toThrow(ValidationError);
    },
  );
});

describe('withToolsFunc', () => {
  it('removes what withTools has added before it', async () => {
    const pipeline = new Pipeline([
      withTools(tool('a'), tool('b')),
      withToolsFunc((tools) => tools.filter((one) => one.tool.name !== 'a')),
    ]);

    expect(names(await pipeline.beforeAgent(config(), run()))).toEqual(['b']);
  });

  it('lets the last one decide about returnDirectly', async () => {
    const direct = (returnDirectly: boolean) =>
      withToolsFunc((tools) => tools.map((one) => ({ ...one, returnDirectly })));

    const changed = await new Pipeline([direct(true), direct(false), direct(true)]).beforeAgent(
      config('', [meta('a')]),
      run(),
    );

    expect(changed.tools[0]?.returnDirectly).toBe(true);
  });

  it('ends the run when the function forgets to return', async () => {
    const pipeline = new Pipeline([withToolsFunc((() => undefined) as never)]);

    await expect(pipeline.beforeAgent(config(), run())).rejects.toMatchObject({ code: 'HANDLER_ERROR' });
  });
});

describe('withBeforeAgent', () => {
  it('may change the config in place or return another', async () => {
    const pipeline = new Pipeline([
      withBeforeAgent((given) => {
        given.options.maxTurns = 1;
      }),
      withBeforeAgent(async (given) => ({ ...given, instruction: 'other' })),
    ]);

    expect(await pipeline.beforeAgent(config(), run())).toMatchObject({
      instruction: 'other',
      options: { maxTurns: 1 },
    });
  });
});

describe('withBeforeModelRewriteHistory and withAfterModelRewriteHistory', () => {
  it('rewrite in list order, each at its own moment', async () => {
    const [one, two] = [userMessage('one'), userMessage('two')];
    const pipeline = new Pipeline([
      withBeforeModelRewriteHistory((messages) => [...messages, one]),
      withAfterModelRewriteHistory(async (messages) => messages.slice(1)),
      withBeforeModelRewriteHistory((messages) => [...messages, two]),
    ]);

    const before = await pipeline.beforeModel([], run());
    const after = await pipeline.afterModel(before, run());

    expect(before).toEqual([one, two]);
    expect(after).toEqual([two]);
  });
});

describe('every factory', () => {
  const factories = {
    withInstructionFunc,
    withToolsFunc,
    withBeforeAgent,
    withBeforeModelRewriteHistory,
    withAfterModelRewriteHistory,
    withInvokableToolWrapper,
    withStreamableToolWrapper,
  };

  it.each(Object.entries(factories))('%s refuses what is no function', (name, factory) => {
    expect(() => factory(undefined as never)).toThrow(`${name} needs a function`);
  });

  it('withInstruction refuses what is no text', () => {
    expect(() => withInstruction(undefined as never)).toThrow(ValidationError);
  });
});
