import { ValidationError } from '@x/core';
import { silentLogger } from '@x/core/internal';
import { describe, expect, it, vi } from 'vitest';
import type { ExecutionOptions } from './execution-options.ts';
import { ToolExecutor } from './tool-executor.ts';

const nan = Number.NaN;
const wrongLimits: readonly (readonly [string, unknown])[] = [
  ['timeout', -1],
  ['timeout', nan],
  ['timeout', '30'],
  ['timeout', null],
  ['retry', -1],
  ['retry', nan],
  ['retry', '3'],
  ['retry', 1.5],
  ['retryDelay', -1],
  ['retryDelay', nan],
  ['retryDelay', '1'],
  ['retryDelay', Number.POSITIVE_INFINITY],
  ['maxDelay', -1],
  ['maxDelay', nan],
  ['maxOutputBytes', 0],
  ['maxOutputBytes', nan],
  ['backoff', 'quadratic'],
  ['jitter', true],
  ['onLateSettlement', 'log'],
];

describe('the options of an execution', () => {
  it.each<readonly [string, unknown]>([
    ...wrongLimits,
    ['effect', 'harmless'],
    ['idempotencyKey', ''],
    ['tool', 7],
    ['caller', {}],
    ['signal', {}],
  ])('refuses %s: %j before the first attempt', async (field, value) => {
    const work = vi.fn<() => void>();
    const refused = new ToolExecutor().execute(work, {}, { [field]: value });

    await expect(refused).rejects.toMatchObject({
      name: 'ValidationError',
      field,
      message: expect.stringContaining(field),
    });
    expect(work).not.toHaveBeenCalled();
  });

  it('names the nearest option to one that is not known', async () => {
    const options = { retries: 3 } as ExecutionOptions;

    await expect(new ToolExecutor().execute(() => 1, {}, options)).rejects.toThrow(
      'Execution options: unknown retries; did you mean retry?',
    );
  });

  it.each([null, 'options', 7])('must be an object, not %s', async (options) => {
    await expect(new ToolExecutor().execute(() => 1, {}, options as never)).rejects.toBeInstanceOf(ValidationError);
  });

  it('takes zeros, and no end', async () => {
    const options = { timeout: Number.POSITIVE_INFINITY, retry: 0, retryDelay: 0, maxDelay: 0 };

    expect(await new ToolExecutor().execute(() => 1, {}, options)).toBe(1);
    expect(await new ToolExecutor().execute(() => 1, {}, { timeout: 0, retry: Number.POSITIVE_INFINITY })).toBe(1);
  });

  it.each([null, undefined, 'name', {}, { name: 'x', execute() {} }])(
    'needs an implementation that is not %j',
    async (implementation) => {
      await expect(new ToolExecutor().execute(implementation as never, {})).rejects.toMatchObject({
        field: 'implementation',
      });
    },
  );
});

describe('the options of an executor', () => {
  const making = (options: object) => () => new ToolExecutor(options);

  it.each<readonly [string, unknown]>([
    ...wrongLimits,
    ['logger', {}],
    ['workspace', {}],
    ['concurrency', 5],
    ['concurrency', null],
    ['rateLimit', () => ({ limit: 1, window: 1 })],
    ['rateLimit', {}],
    ['concurrency', {}],
  ])('refuses %s: %j', (field, value) => {
    expect(making({ [field]: value })).toThrow(expect.objectContaining({ name: 'ValidationError', field }));
  });

  it.each<readonly [string, object]>([
    ['concurrency.perTool', { concurrency: { perTool: 0 } }],
    ['concurrency.perCaller', { concurrency: { perCaller: 1.5 } }],
    ['concurrency.perTeam', { concurrency: { perTeam: 1 } }],
    ['rateLimit.perTeam', { rateLimit: { perTeam: { limit: 1, window: 1 } } }],
    ['rateLimit.perTool.burst', { rateLimit: { perTool: { limit: 1, window: 1, burst: 5 } } }],
    ['rateLimit.perTool.limit', { rateLimit: { perTool: { limit: 0, window: 1 } } }],
  ])('refuses %s', (field, options) => {
    expect(making(options)).toThrow(expect.objectContaining({ name: 'ValidationError', field }));
  });

  it('refuses the limit that a function gives for a name', async () => {
    const executor = new ToolExecutor({ rateLimit: { perTool: () => ({ limit: 1, window: 0 }) } });

    await expect(executor.execute(() => 1, {})).rejects.toMatchObject({ field: 'rateLimit.perTool.window' });
  });

  it.each([
    5,
    null,
    { limit: 0, window: 1 },
    { limit: 1, window: 0 },
    { limit: 1 },
    { limit: 1, window: Number.POSITIVE_INFINITY },
  ])('refuses the rate %j', (perTool) => {
    expect(making({ rateLimit: { perTool } })).toThrow(ValidationError);
  });

  it('refuses what could do nothing, and what it does not know', () => {
    expect(making({ maxQueue: 5 })).toThrow('maxQueue has no effect without concurrency or rateLimit');
    expect(making({ maxWait: 5 })).toThrow('maxWait has no effect');
    expect(making({ concurrency: { perTool: 1 }, maxQueue: -1 })).toThrow(
      'maxQueue must be a whole number from 0, not -1',
    );
    expect(making({ signal: new AbortController().signal })).toThrow('ToolExecutor options: unknown signal');
    expect(making({ timeOut: 5 })).toThrow('unknown timeOut; did you mean timeout?');
  });

  it('are defaults for the executions', async () => {
    const executor = new ToolExecutor({ maxOutputBytes: 10, logger: silentLogger });

    expect(await executor.execute(() => 'x'.repeat(50), {})).toContain('cut');
    expect(await executor.execute(() => 'x'.repeat(50), {}, { maxOutputBytes: 50 })).toHaveLength(50);
  });
});
