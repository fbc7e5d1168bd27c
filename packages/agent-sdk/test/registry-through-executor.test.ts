import { defineTool, objectSchema, RateLimitError, ToolExecutionError, ToolExecutor, ToolRegistry } from '@x/agent-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const city = { name: 'city', type: 'string', description: 'Where.', required: true } as const;
const describedAs = (name: string) => ({ name, description: `Tells ${name}.`, parameters: [city] });
const reset = () => Object.assign(new Error('reset'), { code: 'ECONNRESET' });
const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  );

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a registry with the invoke of an executor', () => {
  it('runs its tools, and stops what is out of time with the error of the executor', async () => {
    const registry = new ToolRegistry({ invoke: new ToolExecutor({ timeout: 10 }).invoke });
    registry.register(
      describedAs('weather'),
      async (parameters) => `Sunny in ${(parameters as { city: string }).city}.`,
    );
    registry.register(describedAs('stuck'), () => new Promise(() => undefined));

    expect(await registry.execute('weather', { city: 'Rome' })).toBe('Sunny in Rome.');
    const ended = caught(registry.execute('stuck', { city: 'Rome' }));
    await vi.advanceTimersByTimeAsync(10);
    expect(await ended).toMatchObject({ code: 'TIMEOUT', message: 'Execution timeout after 10ms' });
  });

  it('tries a tool again that says it may be, and no other', async () => {
    const registry = new ToolRegistry({ invoke: new ToolExecutor({ retry: 2, retryDelay: 1 }).invoke });
    const pay = vi.fn<() => Promise<never>>(() => Promise.reject(reset()));
    const look = vi.fn<() => Promise<string>>(() => Promise.resolve('seen')).mockRejectedValueOnce(reset());
    const inputSchema = objectSchema({ city: { type: 'string', description: 'Where.' } });
    registry.register(describedAs('pay'), pay);
    registry.add(defineTool({ name: 'look', description: 'Looks.', kind: 'readonly', inputSchema, execute: look }));
    const ended = Promise.all([
      caught(registry.execute('pay', { city: 'Rome' })),
      registry.execute('look', { city: 'Rome' }),
    ]);
    await vi.runAllTimersAsync();

    const [paid, seen] = await ended;
    expect(paid).toBeInstanceOf(ToolExecutionError);
    expect(seen).toBe('seen');
    expect([pay, look].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
  });

  it('keeps the limits of each tool by its name', async () => {
    const invoke = new ToolExecutor({ rateLimit: { perTool: { limit: 1, window: 60_000 } } }).invoke;
    const registry = new ToolRegistry({ invoke });
    registry.register(describedAs('weather'), async () => 'Sunny.');
    registry.register(describedAs('time'), async () => 'Noon.');
    await registry.execute('weather', { city: 'Rome' });

    expect(await caught(registry.execute('weather', { city: 'Rome' }))).toBeInstanceOf(RateLimitError);
    expect(await registry.execute('time', { city: 'Rome' })).toBe('Noon.');
  });

  it('passes on the signal and the checks of the registry', async () => {
    const registry = new ToolRegistry({ invoke: new ToolExecutor().invoke });
    const controller = new AbortController();
    registry.register(describedAs('stuck'), () => new Promise(() => undefined));
    const ended = caught(registry.execute('stuck', { city: 'Rome' }, { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();

    expect(await ended).toMatchObject({ code: 'ABORTED' });
    expect(await caught(registry.execute('stuck', {}))).toMatchObject({ code: 'VALIDATION_ERROR', field: 'city' });
  });
});
