import type { Logger } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caught } from '../../test/caught.ts';
import type { LateSettlement } from './late-settlement.ts';
import { ToolExecutor } from './tool-executor.ts';

const after = <T>(ms: number, end: () => T) =>
  new Promise<T>((resolve, reject) => {
    setTimeout(() => {
      try {
        resolve(end());
      } catch (error) {
        reject(error);
      }
    }, ms);
  });
const broken = (): never => {
  throw new Error('broken pipe');
};
function lines() {
  const told: unknown[] = [];
  const tell = (level: string) => (fields: object, message?: string) => void told.push([level, fields, message]);
  const logger: Logger = {
    fatal: tell('fatal'),
    error: tell('error'),
    warn: tell('warn'),
    info: tell('info'),
    debug: tell('debug'),
    trace: tell('trace'),
  };
  return { told, logger };
}
const failingLogger = { fatal: broken, error: broken, warn: broken, info: broken, debug: broken, trace: broken };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('onLateSettlement', () => {
  it('is told what an attempt did that was out of time', async () => {
    const late: LateSettlement[] = [];
    const executor = new ToolExecutor({ timeout: 10, onLateSettlement: (one) => late.push(one) });
    const ended = [
      caught(executor.execute(() => after(30, () => 'paid'), {}, { tool: 'pay', idempotencyKey: 'k' })),
      caught(executor.execute(() => after(40, broken), {})),
    ];
    await vi.runAllTimersAsync();

    expect(await Promise.all(ended)).toEqual([
      expect.objectContaining({ code: 'TIMEOUT' }),
      expect.objectContaining({ code: 'TIMEOUT' }),
    ]);
    expect(late).toEqual([
      {
        tool: 'pay',
        attempt: 1,
        idempotencyKey: 'k',
        givenUpFor: 'timeout',
        outcome: { status: 'fulfilled', value: 'paid' },
        afterMs: 20,
      },
      {
        attempt: 1,
        idempotencyKey: expect.any(String),
        givenUpFor: 'timeout',
        outcome: { status: 'rejected', reason: new Error('broken pipe') },
        afterMs: 30,
      },
    ]);
  });

  it('is told what an attempt did that was aborted, by the listener of the execution before that of the executor', async () => {
    const own = vi.fn<(settlement: LateSettlement) => void>();
    const general = vi.fn<(settlement: LateSettlement) => void>();
    const caller = new AbortController();
    const executor = new ToolExecutor({ onLateSettlement: general });
    const ended = caught(
      executor.execute(() => after(30, () => 'paid'), {}, { signal: caller.signal, onLateSettlement: own }),
    );
    caller.abort();
    await vi.runAllTimersAsync();

    expect(await ended).toMatchObject({ code: 'ABORTED' });
    expect(own).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ givenUpFor: 'abort' }));
    expect(general).not.toHaveBeenCalled();
  });

  it('hears nothing of attempts that end in time', async () => {
    const listener = vi.fn<() => void>();
    const executor = new ToolExecutor({ onLateSettlement: listener });
    const ended = [
      executor.execute(() => after(5, () => 'value'), {}),
      caught(executor.execute(() => after(5, broken), {})),
    ];
    await vi.runAllTimersAsync();
    await Promise.all(ended);

    expect(listener).not.toHaveBeenCalled();
  });

  it('breaks nothing when it throws, and the log says so', async () => {
    const { told, logger } = lines();
    const executor = new ToolExecutor({ logger, timeout: 10, onLateSettlement: broken });
    const ended = caught(executor.execute(() => after(30, broken), {}));
    await vi.runAllTimersAsync();

    expect(await ended).toMatchObject({ code: 'TIMEOUT' });
    expect(told.at(-1)).toEqual(['warn', { error: 'broken pipe' }, 'onLateSettlement failed']);
  });

  it('breaks nothing when it rejects, and the log says so', async () => {
    const { told, logger } = lines();
    const onLateSettlement: () => unknown = async () => broken();
    const executor = new ToolExecutor({ logger, timeout: 10, onLateSettlement });
    const ended = caught(executor.execute(() => after(30, () => 'late'), {}));
    await vi.runAllTimersAsync();

    expect(await ended).toMatchObject({ code: 'TIMEOUT' });
    expect(told.at(-1)).toEqual(['warn', { error: 'broken pipe' }, 'onLateSettlement failed']);
  });
});

describe('logger', () => {
  it('is told of each attempt, each retry with its delay and reason, and the failure', async () => {
    const { told, logger } = lines();
    const executor = new ToolExecutor({ logger });
    const work = () =>
      Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET', headers: { authorization: 'secret' } }));
    const options = { tool: 'pay', caller: 'me', retry: 1, backoff: 'constant', retryDelay: 7 } as const;
    const ended = caught(executor.execute(work, { apiKey: 'secret' }, options));
    await vi.runAllTimersAsync();
    await ended;

    const of = { tool: 'pay', caller: 'me' };
    const reason = { error: 'reset', code: 'ECONNRESET' };
    expect(told).toEqual([
      ['debug', { ...of, attempt: 1 }, 'tool attempt started'],
      ['warn', { ...of, attempt: 1, delayMs: 7, ...reason }, 'tool attempt failed, trying again'],
      ['debug', { ...of, attempt: 2 }, 'tool attempt started'],
      ['error', { ...of, attempts: 2, ...reason }, 'tool execution failed'],
    ]);
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  it('is told of time-outs and of what comes too late', async () => {
    const { told, logger } = lines();
    const ended = caught(new ToolExecutor({ logger, timeout: 10 }).execute(() => after(30, () => 'paid'), {}));
    await vi.runAllTimersAsync();
    await ended;

    expect(told).toEqual([
      ['debug', { attempt: 1 }, 'tool attempt started'],
      ['warn', { attempt: 1, timeoutMs: 10 }, 'tool attempt timed out'],
      ['error', { attempts: 1, error: 'Execution timeout after 10ms', code: 'TIMEOUT' }, 'tool execution failed'],
      [
        'warn',
        { attempt: 1, givenUpFor: 'timeout', outcome: 'fulfilled', afterMs: 20 },
        'tool attempt ended after it was given up',
      ],
    ]);
  });

  it('changes nothing when it fails, nor when the error cannot be read', async () => {
    const executor = new ToolExecutor({ logger: failingLogger });
    const hostile = Object.defineProperty(new Error('m'), 'message', { get: broken });

    expect(await executor.execute(async () => 'value', {})).toBe('value');
    expect(await caught(executor.execute(() => Promise.reject(hostile), {}))).toBe(hostile);
    expect(await caught(new ToolExecutor({ logger: lines().logger }).execute(() => Promise.reject(hostile), {}))).toBe(
      hostile,
    );
  });

  it('is not there by default: nothing is printed', async () => {
    const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
    const ended = caught(new ToolExecutor({ timeout: 1 }).execute(() => after(2, () => 'late'), {}));
    await vi.runAllTimersAsync();
    await ended;

    expect(printed.flatMap((one) => one.mock.calls)).toEqual([]);
  });
});
