import { fc, test } from '@fast-check/vitest';
import {
  AbortError,
  RateLimitError,
  ToolDisabledError,
  ToolExecutionError,
  ToolNotFoundError,
  ValidationError,
} from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { fails, metadata, ok, registryOf } from '../test/registries.ts';
import type { ToolImplementation } from './metadata.ts';
import { ToolRegistry } from './tool-registry.ts';

describe('execute', () => {
  it('R16: an unknown tool is not found', async () => {
    const error = await fails(new ToolRegistry(), 'x');

    expect(error).toBeInstanceOf(ToolNotFoundError);
    expect(error).toMatchObject({
      message: 'Tool not found: x',
      code: 'TOOL_NOT_FOUND',
      statusCode: 404,
      toolName: 'x',
    });
  });

  it('R17: a disabled tool is refused', async () => {
    const registry = registryOf('x');
    registry.disable('x');

    const error = await fails(registry, 'x');

    expect(error).toBeInstanceOf(ToolDisabledError);
    expect(error).toMatchObject({ message: 'Tool is disabled: x', code: 'TOOL_DISABLED', statusCode: 403 });
  });

  it('R18: checks exists, enabled, dependencies, parameters, in this order', async () => {
    const registry = new ToolRegistry();
    const parameters = [{ name: 'p', type: 'string' as const, description: '', required: true }];
    const implementation = vi.fn<ToolImplementation>(ok);
    registry.register(metadata('x', { parameters }), implementation, { dependencies: ['y'] });
    registry.disable('x');

    expect(await fails(registry, 'x')).toMatchObject({ message: 'Tool is disabled: x' });
    registry.enable('x');
    expect(await fails(registry, 'x')).toMatchObject({ message: expect.stringContaining('y (not registered)') });
    registry.register(metadata('y'), ok);
    expect(await fails(registry, 'x')).toMatchObject({ message: 'Required parameter missing: p' });
    expect(implementation).not.toHaveBeenCalled();
  });

  it.each([[undefined], [null], [0], ['text'], [{ a: 1 }], [Symbol.for('s')]])(
    'R22: resolves with %s itself',
    async (value) => {
      const registry = new ToolRegistry();
      registry.register(metadata('x'), async () => value);

      expect(await registry.execute('x', {})).toBe(value);
    },
  );

  it.each([new Error('below'), 'text', undefined, null])('R23: a foreign %s is wrapped', async (thrown) => {
    const registry = new ToolRegistry();
    registry.register(metadata('x'), () => Promise.reject(thrown));

    const error = await fails(registry, 'x');

    expect(error).toBeInstanceOf(ToolExecutionError);
    expect(error).toMatchObject({ message: 'Tool execution failed: x', code: 'TOOL_EXECUTION_ERROR', statusCode: 500 });
    expect(error).toHaveProperty('originalError', thrown);
    expect((error as Error).cause).toBe(thrown);
  });

  it('R24: an own error passes as the same object', async () => {
    const registry = new ToolRegistry();
    const thrown = new RateLimitError('slow down', 3);
    registry.register(metadata('x'), () => Promise.reject(thrown));

    expect(await fails(registry, 'x')).toBe(thrown);
  });

  it('R39: an implementation that declares only parameters works; the second argument carries the signal', async () => {
    const registry = new ToolRegistry();
    const { signal } = new AbortController();
    const seen = vi.fn<ToolImplementation>(ok);
    registry.register(metadata('short'), async (parameters) => parameters);
    registry.register(metadata('long'), seen);

    expect(await registry.execute('short', {})).toEqual({});
    await registry.execute('long', {}, { signal });

    expect(seen.mock.lastCall?.[1]?.signal).toBe(signal);
  });

  it('R40: names every dependency that is not registered or not enabled', async () => {
    const registry = registryOf('here', 'off');
    registry.disable('off');
    registry.register(metadata('x'), ok, { dependencies: ['here', 'off', 'gone'] });

    const error = await fails(registry, 'x');

    expect(error).toBeInstanceOf(ToolDisabledError);
    expect((error as Error).message).toContain('off (disabled), gone (not registered)');
    registry.enable('off');
    registry.register(metadata('gone'), ok);
    expect(await registry.execute('x', {})).toBe('ok');
  });

  it('R48: an aborted signal rejects before the implementation runs', async () => {
    const registry = new ToolRegistry();
    const implementation = vi.fn<ToolImplementation>(ok);
    registry.register(metadata('x'), implementation);

    await expect(registry.execute('x', {}, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortError);
    expect(implementation).not.toHaveBeenCalled();
  });

  it('R48: refuses options it does not have', async () => {
    await expect(registryOf('x').execute('x', {}, { timeout: 5 } as never)).rejects.toBeInstanceOf(ValidationError);
  });

  it('R62: an implementation that throws at once is treated like one that rejects', async () => {
    const registry = new ToolRegistry();
    const thrown = new Error('at once');
    registry.register(metadata('x'), () => {
      throw thrown;
    });

    expect(await fails(registry, 'x')).toMatchObject({ code: 'TOOL_EXECUTION_ERROR', cause: thrown });
  });

  const value = fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer()),
    fc.object(),
  );

  test.prop([fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value)])(
    'R60: the parameters of the caller are never changed',
    async (parameters) => {
      const registry = new ToolRegistry();
      const declared = ['a', 'b', 'c'].map((name) => ({
        name,
        type: 'object' as const,
        description: '',
        default: { n: 1 },
      }));
      registry.register(metadata('x', { parameters: declared }), async (given) => {
        for (const name of Object.keys(given)) delete given[name];
      });
      const before = structuredClone(parameters);

      await registry.execute('x', parameters).catch(() => undefined);

      expect(parameters).toEqual(before);
    },
  );
});
