import {
  type AgentEvent,
  defineTool,
  TimeoutError,
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
import type { Invoke } from './invoke.ts';
import type { ToolImplementation } from './metadata.ts';
import { ToolRegistry } from './tool-registry.ts';

const metadata = (name: string) => ({
  name,
  description: `Does ${name}`,
  parameters: [{ name: 'n', type: 'number' as const, description: '', default: 1 }],
});
const context = (more: Partial<ToolContext> = {}): ToolContext =>
  ({ callId: 'c', idempotencyKey: 's:c', signal: new AbortController().signal, ...more }) as ToolContext; // what the tools read
const counting = defineTool({
  name: 'count',
  description: 'Counts',
  inputSchema: z.object({ to: z.number() }),
  kind: 'readonly',
  subject: ({ to }) => ({ type: 'command', line: `count ${to}` }),
  async *execute({ to }) {
    for (let at = 1; at <= to; at++) yield `${at} `;
  },
});
const offered = (registry: ToolRegistry, name: string): Tool =>
  registry.tools().find((tool) => tool.name === name) as Tool;
const direct: Invoke = (implementation, parameters, { signal }) => implementation(parameters, signal ? { signal } : {});

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

describe('invoke', () => {
  it('runs the implementations of execute, with checked parameters and what is known of the call', async () => {
    const invoke = vi.fn<Invoke>(direct);
    const registry = new ToolRegistry({ invoke });
    registry.register(metadata('a'), async ({ n }) => n);
    registry.add(counting);
    const { signal } = new AbortController();

    expect(await registry.execute('a', {}, { signal, idempotencyKey: 'k' })).toBe(1);
    expect(await registry.execute('count', { to: 2 })).toBe('1 2 ');

    expect(invoke.mock.calls.map(([, parameters, invocation]) => [parameters, invocation])).toEqual([
      [{ n: 1 }, { tool: 'a', signal, idempotencyKey: 'k' }],
      [{ to: 2 }, { tool: 'count', effect: 'pure' }],
    ]);
  });

  it('is not asked for what is refused before', async () => {
    const invoke = vi.fn<Invoke>(direct);
    const registry = new ToolRegistry({ invoke });
    registry.register(metadata('a'), async () => 1);

    await expect(registry.execute('a', { n: 'x' })).rejects.toBeInstanceOf(ValidationError);
    await expect(registry.execute('a', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    registry.disable('a');
    await expect(registry.execute('a', {})).rejects.toBeInstanceOf(ToolDisabledError);
    expect(invoke).not.toHaveBeenCalled();
  });

  it('of one call stands in for that of the registry', async () => {
    const registry = new ToolRegistry({ invoke: async () => 'of the registry' });
    registry.register(metadata('a'), async () => 'own');

    expect(await registry.execute('a', {})).toBe('of the registry');
    expect(await registry.execute('a', {}, { invoke: async () => 'of the call' })).toBe('of the call');
    await expect(registry.execute('a', {}, { invoke: 'x' as never })).rejects.toBeInstanceOf(ValidationError);
  });

  it('fails like a tool: an own error passes, any other is wrapped', async () => {
    const thrown = new TimeoutError('Execution timeout after 5ms', 5);
    const registry = new ToolRegistry({ invoke: () => Promise.reject(thrown) });
    registry.register(metadata('a'), async () => 1);
    const foreign = new Error('below');

    await expect(registry.execute('a', {})).rejects.toBe(thrown);
    await expect(registry.execute('a', {}, { invoke: () => Promise.reject(foreign) })).rejects.toMatchObject({
      code: 'TOOL_EXECUTION_ERROR',
      cause: foreign,
    });
  });

  it('runs the tools of a session too, each attempt with its own signal, and lets what they yield through', async () => {
    const seen: unknown[] = [];
    const attempts = [new AbortController().signal, new AbortController().signal];
    const invoke: Invoke = async (implementation, parameters) => {
      for (const [index, signal] of attempts.entries()) {
        await implementation(parameters, { signal, attempt: index + 1 }).catch((error: unknown) => seen.push(error));
      }
      return implementation(parameters);
    };
    const registry = new ToolRegistry({ invoke });
    registry.add(
      defineTool({
        ...counting,
        inputSchema: z.object({}),
        subject: () => undefined,
        async *execute(_, { signal, cwd }) {
          seen.push(signal);
          yield cwd;
          if (attempts.includes(signal)) throw new Error('again');
        },
      }),
    );
    const given = context({ cwd: '/here' });

    const { events, value } = await collect(offered(registry, 'count').execute({}, given));

    expect(events).toHaveLength(3);
    expect(value).toEqual({ output: '/here', isError: false });
    expect(seen.filter((one) => one instanceof AbortSignal)).toEqual([...attempts, given.signal]);
    expect(seen.filter((one) => one instanceof Error)).toHaveLength(2);
  });

  it('keeps the result of a finished tool whole, and takes another value for one', async () => {
    const images = [{ type: 'image' as const, mediaType: 'image/png', data: 'AA' }];
    const results = {
      fine: { output: 'see', isError: false, images },
      failed: { output: 'no', isError: true, images },
    };
    const registry = new ToolRegistry({ invoke: direct });
    const inputSchema = z.object({});
    for (const [name, result] of Object.entries(results)) {
      registry.add(defineTool({ name, description: 'd', inputSchema, execute: async () => result }));
    }
    const other = new ToolRegistry({ invoke: async () => ({ cached: true }) });
    other.add(counting);

    expect((await collect(offered(registry, 'fine').execute({}, context()))).value).toEqual(results.fine);
    expect((await collect(offered(registry, 'failed').execute({}, context()))).value).toEqual(results.failed);
    expect(await registry.execute('fine', {})).toEqual([{ type: 'text', text: 'see' }, ...images]);
    expect((await collect(offered(other, 'count').execute({ to: 1 }, context()))).value.data).toEqual({ cached: true });
  });

  it('holds a tool back until what it yields is read, and ends it when its reader leaves', async () => {
    const done: string[] = [];
    const registry = new ToolRegistry({ invoke: direct });
    registry.add(
      defineTool({
        ...counting,
        inputSchema: z.object({}),
        subject: () => undefined,
        async *execute() {
          try {
            for (const part of ['one', 'two', 'three']) {
              done.push(part);
              yield part;
            }
          } finally {
            done.push('ended');
          }
        },
      }),
    );

    const stream = offered(registry, 'count').execute({}, context());
    const first = await stream.next();
    const before = [...done];
    await stream.return(undefined as never);

    expect((first.value as AgentEvent).type).toBe('tool_progress');
    expect(before).toEqual(['one']);
    expect(done).toEqual(['one', 'ended']);
  });
});
