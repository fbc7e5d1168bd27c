import { defineTool, type Tool, ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fails, namesOf, ok, registryOf } from '../test/registries.ts';
import { ToolRegistry } from './tool-registry.ts';

describe('add', () => {
  const echo = defineTool({
    name: 'echo',
    description: 'Says it again',
    inputSchema: z.object({ text: z.string().describe('what'), times: z.number().int().min(1).default(1) }),
    execute: async ({ text, times }) => ({ said: text.repeat(times) }),
  }) as Tool;

  it('R59: a finished tool is listed, found and executed like one made from metadata', async () => {
    const registry = registryOf('other');

    registry.add(echo, { tags: ['speech'] });

    expect(registry.list()[1]).toMatchObject({
      name: 'echo',
      description: 'Says it again',
      parameters: [
        { name: 'text', type: 'string', description: 'what', required: true },
        { name: 'times', type: 'number', description: '', default: 1, minimum: 1 },
      ],
      tags: ['speech'],
      version: '1.0.0',
    });
    expect(namesOf(registry.search('again'))).toEqual(['echo']);
    expect(await registry.execute('echo', { text: 'a', times: 2 })).toEqual({ said: 'aa' });
    expect(await registry.execute('echo', { text: 'a' })).toEqual({ said: 'a' });
  });

  it('R59: its own schema judges the input', async () => {
    const registry = new ToolRegistry();
    registry.add(echo);

    expect(await fails(registry, 'echo', { text: 1 })).toMatchObject({ code: 'VALIDATION_ERROR', field: 'text' });
    expect(await fails(registry, 'echo', { text: 'a', times: 0.5 })).toMatchObject({ field: 'times' });
    expect(await fails(registry, 'echo', [])).toMatchObject({ message: 'Parameters must be an object' });
  });

  it('R59: what it throws, and a result that is an error, reject', async () => {
    const registry = new ToolRegistry();
    const thrown = new Error('below');
    registry.add({
      ...echo,
      name: 'throws',
      execute: () => {
        throw thrown;
      },
    }); // prettier-ignore
    registry.add(
      defineTool({ ...definition(), execute: async () => ({ output: 'no such file', isError: true }) }) as Tool,
    );

    expect(await fails(registry, 'throws', { text: '' })).toMatchObject({
      message: 'Tool execution failed: throws',
      cause: thrown,
    });
    expect(await fails(registry, 'own')).toMatchObject({
      code: 'TOOL_EXECUTION_ERROR',
      message: 'Tool execution failed: own: no such file',
    });
  });

  it('R59: a text, and what a stream has said, is the result', async () => {
    const registry = new ToolRegistry();
    registry.add(
      defineTool({
        ...definition(),
        async *execute() {
          yield 'one ';
          yield 'two';
        },
      }) as Tool,
    );

    expect(await registry.execute('own', {})).toBe('one two');
  });

  it('R59: it gets the signal of the caller, and is told that it has no doors here', async () => {
    const registry = new ToolRegistry();
    const { signal } = new AbortController();
    registry.add(defineTool({ ...definition(), execute: async (_, context) => context.signal === signal }) as Tool);
    registry.add(
      defineTool({ ...definition(), name: 'reads', execute: (_, { workspace }) => workspace.readFile('/x') }) as Tool,
    );

    expect(await registry.execute('own', {}, { signal })).toBe(true);
    expect(await fails(registry, 'reads')).toMatchObject({
      code: 'NOT_IN_A_SESSION',
      message: 'Tool reads needs a workspace; run it in a session',
    });
  });

  it('R59: its run has a journal of nothing, which it cannot write to', async () => {
    const registry = new ToolRegistry();
    const told: unknown[] = [];
    const tool = defineTool({
      ...definition(),
      execute: async (_, { run, workspace }) => {
        run.emit({ type: 'status', message: 'heard by nobody' } as never);
        const { past, claimCallId } = run.journal;
        told.push(past.call('c'), past.note('n'), claimCallId('c'), past.turns, workspace.env);
        await run.journal.write();
      },
    });
    registry.add(tool);

    expect(await fails(registry, 'own')).toMatchObject({
      code: 'NOT_IN_A_SESSION',
      message: 'Tool own needs a journal; run it in a session',
    });
    expect(told).toEqual([undefined, undefined, 'c', 0, {}]);
  });

  it.each([
    [undefined, /name is required/],
    [{ name: 'a', description: 'b', parameters: [null] }, /^parameters\[0\] must be an object, not null/],
    [{ name: 'a', description: 'b', parameters: { type: 'object' } }, /must be a list/],
    [{ name: 'a', description: 'b', parameters: [], examples: 'x' }, /examples must be a list/],
    [{ name: 'a', description: 'b', parameters: [], inputSchema: {} }, /no inputSchema/],
  ])('refuses to register %j', (metadata, text) => {
    const registry = new ToolRegistry();

    expect(() => registry.register(metadata as never, async () => undefined)).toThrow(text);
    expect(registry.list()).toEqual([]);
  });

  it('R59: names, duplicates and options are judged as in register', () => {
    const registry = registryOf('echo');

    expect(() => registry.add(echo)).toThrow('Tool "echo" is already registered');
    expect(() => registry.add({ ...echo, name: 'Echo' })).toThrow(/lowercase/);
    expect(() => registry.add(echo, { overwrite: true })).not.toThrow();
    expect(() => registry.add({ name: 'half' } as never)).toThrow(/defineTool/);
  });

  it('R59: takes what defineTool takes, and refuses what is neither', async () => {
    const registry = new ToolRegistry();

    registry.add({
      name: 'plain',
      description: 'd',
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }) => n + 1,
    });

    expect(await registry.execute('plain', { n: 1 })).toBe(2);
    for (const other of [
      undefined,
      'x',
      {},
      { ...definition(), inputSchema: {}, execute: ok },
      { ...definition(), execute: 1 },
    ]) {
      expect(() => registry.add(other as never)).toThrow(ValidationError);
    }
  });

  it('R59: a schema that cannot be shown to a model is refused when the tool is added', () => {
    const tool = defineTool({ ...definition(), inputSchema: z.object({ at: z.date() }), execute: ok });
    const registry = new ToolRegistry();

    expect(() => registry.add(tool as Tool)).toThrow(ValidationError);
    expect(registry.list()).toEqual([]);
  });

  it('R60: the parameters of the caller are not changed by a finished tool either', async () => {
    const registry = new ToolRegistry();
    const given = { n: 1 };
    const inputSchema = { json: { type: 'object', properties: { n: {} } }, parse: (value: unknown) => value };
    registry.add({
      ...definition(),
      inputSchema,
      execute: async (input) => Object.assign(input as object, { n: 2 }),
    });

    expect(await registry.execute('own', given)).toEqual({ n: 2 });
    expect(given).toEqual({ n: 1 });
  });

  const definition = () => ({ name: 'own', description: 'd', inputSchema: z.object({}) });

  it('R59: takes a definition whose input is a JSON Schema as it is', async () => {
    const registry = new ToolRegistry();
    const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

    registry.add({ name: 'say', description: 'd', inputSchema, execute: async (input) => input });

    expect(await registry.execute('say', { text: 'a' })).toEqual({ text: 'a' });
    expect(await fails(registry, 'say', { txt: 1 })).toMatchObject({
      message: 'Required parameter missing: text',
      details: [{ path: '/text' }, { path: '/txt' }],
    });
    expect(registry.functionDefinitions()[0]?.function.parameters).toEqual(inputSchema);
  });

  it.each<[string, unknown, RegExp]>([
    ['a misspelt keyword', { type: 'object', propertys: {} }, /^Tool say: inputSchema: JSON Schema: \/propertys /],
    [
      'what cannot be written as JSON Schema',
      z.object({ at: z.date() }),
      /^Tool say: inputSchema: The zod schema cannot/,
    ],
    ['nothing', undefined, /^Tool say: inputSchema must be/],
  ])('R59: names the tool and the field for %s', (_, inputSchema, message) => {
    const registry = new ToolRegistry();
    const tool = { name: 'say', description: 'd', inputSchema, execute: async () => '' };

    expect(() => registry.add(tool as never)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message), field: 'inputSchema' }),
    );
    expect(registry.list()).toEqual([]);
  });
});
