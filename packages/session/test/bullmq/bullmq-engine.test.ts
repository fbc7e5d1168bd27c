import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { engineContract } from '../../src/testing/index.ts';
import { hasRedis, NEEDS_REDIS, type RedisServer } from '../support/redis-server.ts';
import { heldWork, type RedisWorld, redisWorld } from '../support/redis-world.ts';

const patience = { timeout: 45_000 };

let world: RedisWorld | undefined;
let server: RedisServer;
let redis: Redis;
let fresh: RedisWorld['fresh'];
let make: RedisWorld['make'];
beforeAll(async () => {
  world = await redisWorld();
  if (world) ({ server, redis, fresh, make } = world);
}, 60_000);
afterAll(() => world?.[Symbol.asyncDispose]());

const keyOf = (queue: string, ...rest: string[]) => ['bull', queue, ...rest].join(':');

/** Takes the next job as a worker that then dies. @returns its id */
async function takeAndDie(queue: string): Promise<string> {
  const worker = new Worker(queue, null, { connection: redis, autorun: false });
  await worker.getNextJob('dead', { block: false });
  const id = await onlyJobOf(queue);
  await redis.del(keyOf(queue, id, 'lock')); // it has expired
  await worker.close(true);
  return id;
}

/** Does what a worker does when a lock has expired: one look marks the job, the next one moves it. */
async function bringBack(queue: string): Promise<void> {
  const settings = { connection: redis, autorun: false, stalledInterval: 1, maxStalledCount: 1_000 };
  const worker = new Worker(queue, null, settings);
  await worker.getBackend().moveStalledJobsToWait();
  await redis.del(keyOf(queue, 'stalled-check'));
  await worker.getBackend().moveStalledJobsToWait();
  await worker.close(true);
}

async function countsOf(queue: string) {
  const jobs = new Queue(queue, { connection: redis });
  const { waiting, active, delayed, completed, failed } = await jobs.getJobCounts();
  await jobs.close();
  return { waiting, active, delayed, completed, failed };
}

const NOTHING = { waiting: 0, active: 0, delayed: 0, completed: 0, failed: 0 };

describe.skipIf(!hasRedis)(`bullmqEngine${NEEDS_REDIS}`, () => {
  for (const { name, run } of engineContract(() => make())) {
    it(name, () => expect(run()).resolves.toBeUndefined());
  }

  it('keeps one job of a session among those that wait, and removes it when it is done', async () => {
    const queue = fresh();
    const engine = make({ queue });
    await engine.submit('one');
    await engine.submit('one');
    const before = await countsOf(queue);
    const ran: string[] = [];

    await engine.serve(async (sessionId) => void ran.push(sessionId));

    await vi.waitFor(async () => expect(await countsOf(queue)).toEqual(NOTHING), patience);
    expect([before, ran]).toEqual([{ ...NOTHING, waiting: 1 }, ['one']]);
    expect(await redis.keys(keyOf(queue, '[0-9d]*'))).toEqual([]);
    await engine[Symbol.asyncDispose]();
  });

  it('makes one job of the asks during a run, when it has ended', async () => {
    const queue = fresh();
    const engine = make({ queue });
    const { began, release, work } = heldWork();
    const ran: string[] = [];
    await engine.serve(async (sessionId) => {
      ran.push(sessionId);
      await work(sessionId);
    });
    await engine.submit('one');
    await began;
    await engine.submit('one');
    await engine.submit('one');
    const during = await countsOf(queue);

    release();

    await vi.waitFor(async () => expect(await countsOf(queue)).toEqual(NOTHING), patience);
    expect([during, ran]).toEqual([{ ...NOTHING, active: 1 }, ['one', 'one']]);
    await engine[Symbol.asyncDispose]();
  });

  it('control: with the id of a job as the key, an ask during a run is lost', async () => {
    const queue = fresh();
    const jobs = new Queue(queue, { connection: redis });
    const worker = new Worker(queue, null, { connection: redis, autorun: false });
    await jobs.add('run', {}, { jobId: 'one', removeOnComplete: true });
    const active = await worker.getNextJob('token', { block: false });

    await jobs.add('run', {}, { jobId: 'one', removeOnComplete: true });

    await active.moveToCompleted(undefined, 'token', false);
    expect(await countsOf(queue)).toEqual(NOTHING);
    await worker.close(true);
    await jobs.close();
  });

  it('gives the job of workers that have died to another one, however many have', async () => {
    const queue = fresh();
    const engine = make({ queue, stalledInterval: 100 });
    await engine.submit('one');
    const first = await takeAndDie(queue);
    await bringBack(queue);
    const second = await takeAndDie(queue);
    await bringBack(queue);
    const third = await takeAndDie(queue);
    const ran: string[] = [];

    await engine.serve(async (sessionId) => void ran.push(sessionId));

    await vi.waitFor(() => expect(ran).toEqual(['one']), patience);
    expect([second, third]).toEqual([first, first]);
    await engine[Symbol.asyncDispose]();
  });

  it('leaves a job alone that was given to another worker meanwhile', async () => {
    const queue = fresh();
    const engine = make({ queue });
    const { began, release, work } = heldWork();
    const serving = await engine.serve(work);
    await engine.submit('one');
    await began;
    const id = await onlyJobOf(queue);
    await redis.set(keyOf(queue, id, 'lock'), 'of another', 'PX', 60_000);

    const left = serving[Symbol.asyncDispose]();
    release();
    await left;

    expect(await countsOf(queue)).toEqual({ ...NOTHING, active: 1 });
    expect(await redis.get(keyOf(queue, id, 'lock'))).toBe('of another');
    await engine[Symbol.asyncDispose]();
  });

  it('is not disturbed by a job that is gone', async () => {
    const queue = fresh();
    const onError = vi.fn();
    const engine = make({ queue, onError });
    const { began, release, work } = heldWork();
    const serving = await engine.serve(work);
    await engine.submit('one');
    await began;
    await redis.del(...(await redis.keys(keyOf(queue, '*'))));

    release();
    await serving[Symbol.asyncDispose]();

    expect(onError).not.toHaveBeenCalled();
    await engine[Symbol.asyncDispose]();
  });

  it('says that it works on a job', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const queue = fresh();
    const engine = make({ queue, lockDuration: 60_000 });
    const { began, release, work } = heldWork();
    await engine.serve(work);
    await engine.submit('one');
    await began;
    const lock = keyOf(queue, await onlyJobOf(queue), 'lock');
    await redis.pexpire(lock, 30_000);

    await sleep(5);
    vi.advanceTimersByTime(20_000);
    vi.useRealTimers();

    await vi.waitFor(async () => expect(await redis.pttl(lock)).toBeGreaterThan(30_000), patience);
    release();
    await engine[Symbol.asyncDispose]();
  });

  it('runs a session that another program asks for, and drops a job that names none', async () => {
    const queue = fresh();
    const engine = make({ queue });
    const jobs = new Queue(queue, { connection: redis });
    await jobs.add('any', { sessionId: 'two' });
    await jobs.add('any', { sessionId: 7 });
    await jobs.add('any', null);
    const ran: string[] = [];

    await engine.serve(async (sessionId) => void ran.push(sessionId));

    await vi.waitFor(async () => expect(await countsOf(queue)).toEqual(NOTHING), patience);
    expect(ran).toEqual(['two']);
    await jobs.close();
    await engine[Symbol.asyncDispose]();
  });

  it('keeps its keys under a prefix', async () => {
    const queue = fresh();
    const engine = make({ queue, prefix: '{runs}' });

    await engine.submit('one');

    expect(await redis.exists(`{runs}:${queue}:wait`)).toBe(1);
    await engine[Symbol.asyncDispose]();
  });

  it('leaves the connection that it was given as it was', async () => {
    const before = redis.eventNames().map((name) => [name, redis.listenerCount(name)]);
    const engine = make();
    await engine.submit('one');

    await engine[Symbol.asyncDispose]();

    expect(redis.eventNames().map((name) => [name, redis.listenerCount(name)])).toEqual(before);
    await expect(redis.ping()).resolves.toBe('PONG');
  });

  it.each(['a URL', 'options'])('closes a connection that it made from %s', async (kind) => {
    const engine = make({ connection: kind === 'options' ? { path: server.url } : server.url });
    await engine.submit('one');
    const during = await ownConnections();

    await engine[Symbol.asyncDispose]();

    await vi.waitFor(async () => expect(await ownConnections()).toBe(0), patience);
    expect(during).toBe(1);
  });

  it('lets BullMQ say once that the server may evict what it keeps', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const engine = make();

    await engine.submit('one');
    await engine.serve(async () => undefined);

    expect(warn.mock.calls).toEqual([[expect.stringContaining('allkeys-lru')]]);
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    warn.mockRestore();
    await engine[Symbol.asyncDispose]();
  });
});

async function onlyJobOf(queue: string): Promise<string> {
  const [id = ''] = await redis.lrange(keyOf(queue, 'active'), 0, -1);
  return id;
}

async function ownConnections(): Promise<number> {
  const list = (await redis.client('LIST')) as string;
  return list.split('\n').filter((line) => line.includes(' name=agent-sdk ')).length;
}
