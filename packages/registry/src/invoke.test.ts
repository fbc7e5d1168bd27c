import { type AgentEvent, defineTool, TimeoutError, ToolDisabledError, ValidationError } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { context, counting, metadata, offered } from '../test/offered-tools.ts';
import type { Invoke } from './invoke.ts';
import { ToolRegistry } from './tool-registry.ts';

const direct: Invoke = (implementation, parameters, { signal }) => implementation(parameters, signal ? { signal } : {});

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
