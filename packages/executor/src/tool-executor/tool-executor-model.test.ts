import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Execute, foreseen, scriptFrom } from '../../test/execution-script.ts';
import { courseOf } from '../../test/run-script.ts';
import { seededRandom } from '../../test/seeded-random.ts';
import { ToolExecutor } from './tool-executor.ts';

const executor = new ToolExecutor();
const ours: Execute = (work, options) => executor.execute(work, {}, options);
const faulty: Readonly<Record<string, Execute>> = {
  'a lost retry': (work, options) =>
    executor.execute(work, {}, { ...options, retry: Math.max(0, (options.retry ?? 0) - 1) }),
  'a doubled attempt': async (work, options) => {
    const twice: typeof work = async (parameters, context) => {
      await work(parameters, context).catch(() => undefined);
      return await work(parameters, context);
    };
    return await executor.execute(twice, {}, options);
  },
  'a time-out over all attempts': async (work, options) => {
    const all = new AbortController();
    const timer = setTimeout(() => all.abort(), Math.min(options.timeout ?? 0, 60_000));
    const signal = AbortSignal.any([all.signal, ...(options.signal ? [options.signal] : [])]);
    return await executor.execute(work, {}, { ...options, signal }).finally(() => clearTimeout(timer));
  },
};
/** The scripts that went another way than foreseen. */
async function astray(execute: Execute, scripts: number): Promise<readonly unknown[]> {
  const random = seededRandom(1);
  const found: unknown[] = [];
  const runs = Array.from({ length: scripts }, async () => {
    const script = scriptFrom(random);
    const seen = await courseOf(script, execute, () => performance.now());
    const expected = foreseen(script);
    if (JSON.stringify(seen) !== JSON.stringify(expected)) found.push({ script, seen, expected });
  });
  await vi.runAllTimersAsync();
  await Promise.all(runs);
  return found;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('ToolExecutor', () => {
  it('takes the course that a model foresees: attempts, delays, outcomes and what comes too late', async () => {
    expect(await astray(ours, 500)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(Object.entries(faulty))('is told from one with %s', async (_fault, execute) => {
    expect(await astray(execute, 100)).not.toEqual([]);
  });
});
