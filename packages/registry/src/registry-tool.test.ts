import {
  defineTool,
  type Tool,
  type ToolContext,
  ToolDisabledError,
  ToolExecutionError,
  ToolNotFoundError,
  ValidationError,
} from '@x/core';
import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { context, counting, metadata, offered } from '../test/offered-tools.ts';
import type { ToolImplementation } from './metadata.ts';
import { ToolRegistry } from './tool-registry.ts';

describe('tools', () => {
  it('are the same objects each time, until their tool is replaced', () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a'), async () => 1);
    const [before] = registry.tools();

    expect(registry.tools()[0]).toBe(before);
    registry.register(metadata('a'), async () => 2, { overwrite: true });
    expect(registry.tools()[0]).not.toBe(before);
  });

  it('are careful where metadata say nothing, and keep what a finished tool says', () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a'), async () => 1);
    registry.add(counting);

    expect(registry.tools()).toMatchObject([
      { name: 'a', kind: 'execute', effect: 'non_idempotent', parallelSafe: false, streaming: false },
      { name: 'count', kind: 'readonly', effect: 'pure', parallelSafe: true, streaming: true },
    ]);
    expect(offered(registry, 'count').subject?.({ to: 3 })).toEqual({ type: 'command', line: 'count 3' });
    expect(offered(registry, 'a').subject).toBeUndefined();
  });

  it('keep the marks that the maker of a tool has put on it', () => {
    const mark = Symbol('mark');
    const registry = new ToolRegistry();
    registry.add({ ...counting, [mark]: true } as Tool);

    expect(mark in offered(registry, 'count')).toBe(true);
  });

  it('stream what a finished tool yields, and give it the doors of the session', async () => {
    const registry = new ToolRegistry();
    registry.add(counting);
    const read = defineTool({
      ...counting,
      name: 'read',
      inputSchema: z.object({}),
      subject: () => undefined,
      execute: async (_, { workspace, run }) => [workspace.cwd, run.sessionId],
    });
    registry.add(read);
    const workspace = memoryWorkspace({ cwd: '/home' });
    const run = { sessionId: 's' } as ToolContext['run'];

    const counted = await collect(offered(registry, 'count').execute({ to: 2 }, context()));
    const said = await collect(offered(registry, 'read').execute({}, context({ workspace, run })));

    expect(counted.events).toEqual([
      { type: 'tool_progress', id: 'c', delta: '1 ' },
      { type: 'tool_progress', id: 'c', delta: '2 ' },
    ]);
    expect(counted.value).toEqual({ output: '1 2 ', isError: false });
    expect(said.value.data).toEqual(['/home', 's']);
  });

  it('hand the key and the signal of the call to an implementation', async () => {
    const registry = new ToolRegistry();
    const implementation = vi.fn<ToolImplementation>(async () => 'ok');
    registry.register(metadata('a'), implementation);
    const given = context();

    const { value } = await collect(offered(registry, 'a').execute({}, given));

    expect(value).toEqual({ output: 'ok', isError: false });
    expect(implementation).toHaveBeenCalledExactlyOnceWith({ n: 1 }, { signal: given.signal, idempotencyKey: 's:c' });
  });

  it('are live: each call is judged by what is registered then', async () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a'), async ({ n }) => n);
    const tool = offered(registry, 'a');
    const parsed = tool.inputSchema.parse({ n: 5 });
    const call = () => collect(tool.execute(parsed, context())).then(({ value }) => value.data);

    expect(await call()).toBe(5);
    registry.disable('a');
    await expect(call()).rejects.toBeInstanceOf(ToolDisabledError);
    expect(() => tool.inputSchema.parse({ n: '5' })).toThrow(ToolDisabledError);
    const stricter = { ...metadata('a'), parameters: [{ name: 'n', type: 'string' as const, description: '' }] };
    registry.register(stricter, async ({ n }) => n, { overwrite: true });
    await expect(call()).rejects.toBeInstanceOf(ValidationError);
    registry.unregister('a');
    await expect(call()).rejects.toBeInstanceOf(ToolNotFoundError);
  });

  it('parse an input once: what a transform has made is not made again', async () => {
    const registry = new ToolRegistry();
    const inputSchema = z.object({ at: z.string().transform((text) => text.length) });
    const bare = inputSchema.transform(({ at }) => at);
    registry.add(defineTool({ name: 'made', description: 'd', inputSchema, execute: async ({ at }) => at }));
    registry.add(defineTool({ name: 'bare', description: 'd', inputSchema: bare, execute: async (at) => at }));

    for (const name of ['made', 'bare']) {
      const tool = offered(registry, name);
      const { value } = await collect(tool.execute(tool.inputSchema.parse({ at: 'four' }), context()));
      expect(value.data).toBe(4);
    }
  });

  it('end with an error result where the tool did, with its text and its images', async () => {
    const registry = new ToolRegistry();
    const images = [{ type: 'image' as const, mediaType: 'image/png', data: 'AA' }];
    const failed = { output: 'no such file', isError: true, images };
    registry.add(defineTool({ name: 'own', description: 'd', inputSchema: z.object({}), execute: async () => failed }));

    expect((await collect(offered(registry, 'own').execute({}, context()))).value).toEqual(failed);
    await expect(registry.execute('own', {})).rejects.toThrow('Tool execution failed: own: no such file');
  });

  it('take a value for a value, whatever it looks like', async () => {
    const registry = new ToolRegistry();
    const value = { output: 'x', isError: true };
    registry.register(metadata('a'), async () => value);

    const result = (await collect(offered(registry, 'a').execute({}, context()))).value;

    expect(result).toEqual({ output: '{"output":"x","isError":true}', isError: false, data: value });
    expect(await registry.execute('a', {})).toBe(value);
  });

  it('fail as an execution where a value cannot be written for a model', async () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a'), async () => 10n);

    await expect(collect(offered(registry, 'a').execute({}, context()))).rejects.toBeInstanceOf(ToolExecutionError);
  });

  it('tell the model the reason of a foreign error, which execute keeps to its cause', async () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a'), () => Promise.reject(new Error('no such city')));

    await expect(collect(offered(registry, 'a').execute({}, context()))).rejects.toThrow(
      'Tool execution failed: a: no such city',
    );
    await expect(registry.execute('a', {})).rejects.toThrow(/^Tool execution failed: a$/);
  });

  it('say that a call was aborted when the implementation obeys its signal, with what it threw as the cause', async () => {
    const registry = new ToolRegistry();
    const controller = new AbortController();
    registry.register(metadata('waits'), async (_, { signal } = {}) => {
      controller.abort();
      signal?.throwIfAborted();
    });
    registry.register(metadata('fails'), async () => {
      throw new Error('something else');
    });

    const cause = expect.objectContaining({ name: 'AbortError' });
    await expect(registry.execute('waits', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
      cause,
    });
    await expect(registry.execute('fails', {})).rejects.toMatchObject({ code: 'TOOL_EXECUTION_ERROR' });
  });
});
