import { describe, expect, it, vi } from 'vitest';
import { bullmqEngine } from '../../src/bullmq/index.ts';
import type { RunEngine } from '../../src/index.ts';
import { pgBossEngine } from '../../src/pg-boss/index.ts';

const { missing, absent } = vi.hoisted(() => {
  const missing = new Set<string>();
  const absent = (name: string) => async (original: () => Promise<object>) => {
    if (missing.has(name)) throw new Error(`Cannot find package '${name}'`);
    return original();
  };
  return { missing, absent };
});
vi.mock('pg-boss', absent('pg-boss'));
vi.mock('bullmq', absent('bullmq'));
vi.mock('ioredis', absent('ioredis'));

const boss = () => pgBossEngine({ connectionString: 'postgres://127.0.0.1:9/none' });
const bullmq = () => bullmqEngine({ connection: 'redis://127.0.0.1:9' });

describe('an engine whose package is not installed', () => {
  it.each<[string, () => RunEngine, string]>([
    ['pg-boss', boss, 'An engine on pg-boss needs the package pg-boss; install it: npm install pg-boss'],
    [
      'bullmq',
      bullmq,
      'An engine on BullMQ needs the packages bullmq and ioredis; install it: npm install bullmq ioredis',
    ],
    [
      'ioredis',
      bullmq,
      'An engine on BullMQ needs the packages bullmq and ioredis; install it: npm install bullmq ioredis',
    ],
  ])('says so of %s, and how to install it', async (name, make, message) => {
    missing.add(name);
    const engine = make();

    await expect(engine.submit('one')).rejects.toMatchObject({ code: 'ENGINE_FAILED', message });

    missing.delete(name);
    await engine[Symbol.asyncDispose]();
  });
});
