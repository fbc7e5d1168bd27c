import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { fromPglite, PgBoss } from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PgBossClient, type PgBossEngineOptions, pgBossEngine } from '../../src/pg-boss/index.ts';
import { engineContract } from '../../src/testing/index.ts';
import { codeOf } from '../support/makers.ts';

const patience = { timeout: 45_000 };

let client: PGlite;
let boss: PgBoss;
let queues = 0;
beforeAll(async () => {
  client = await PGlite.create();
  boss = new PgBoss({ db: fromPglite(client), backend: 'pglite', schedule: false, supervise: false });
  await boss.start();
}, 240_000);
afterAll(async () => {
  await boss.stop({ graceful: false });
  await client.close();
});

const fresh = () => `queue-${(queues += 1)}`;

/** An engine with a queue of its own on the one database. */
function make(options: PgBossEngineOptions = {}) {
  return pgBossEngine({ boss, queue: fresh(), pollEveryMs: 20, retryDelay: 1, maxRetryDelay: 4, ...options });
}

describe('pgBossEngine on PGlite', () => {
  for (const { name, run } of engineContract(make)) {
    it(name, () => expect(run()).resolves.toBeUndefined());
  }

  it('gives the job of a worker that shows no life to another one', async () => {
    const queue = fresh();
    const dead = make({ queue });
    await dead.submit('one');
    const [taken] = await boss.fetch(queue); // by a worker that dies
    await client.query(`update pgboss.job set heartbeat_on = heartbeat_on - interval '11 s' where id = $1`, [
      taken!.id,
    ]);
    const ran = Promise.withResolvers<string>();
    const engine = make({ queue });
    await engine.serve(async (sessionId) => ran.resolve(sessionId));

    await boss.supervise(queue);

    await expect(ran.promise).resolves.toBe('one');
    await dead[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  it('leaves a job alone that was given to another worker meanwhile', async () => {
    const queue = fresh();
    const engine = make({ queue });
    const [began, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const serving = await engine.serve(async () => {
      began.resolve();
      await release.promise;
    });
    await engine.submit('one');
    await began.promise;
    const [active] = await boss.findJobs(queue);
    await boss.fail(queue, active!.id);
    const paused = serving[Symbol.asyncDispose]();
    const [again] = await boss.fetch(queue); // another worker

    release.resolve();
    await paused;

    const [job] = await boss.findJobs(queue);
    expect([again?.id, job?.state]).toEqual([active!.id, 'active']);
    await engine[Symbol.asyncDispose]();
  });

  it('says that it works on a job', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const queue = fresh();
    const engine = make({ queue });
    const [began, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await engine.serve(async () => {
      began.resolve();
      await release.promise;
    });
    await engine.submit('one');
    await began.promise;
    const beatOf = async () => (await boss.findJobs(queue))[0]?.heartbeatOn?.getTime() ?? 0;
    const before = await beatOf();

    await sleep(5);
    vi.advanceTimersByTime(3_000);
    vi.useRealTimers();

    await vi.waitFor(async () => expect(await beatOf()).toBeGreaterThan(before), patience);
    release.resolve();
    await engine[Symbol.asyncDispose]();
  });

  it('runs a session that another program asks for, and drops a job that names none', async () => {
    const queue = fresh();
    const engine = make({ queue });
    await engine.submit('one');
    await boss.send(queue, { sessionId: 'two' }, { singletonKey: 'two' });
    await boss.send(queue, { sessionId: 7 }, { singletonKey: 'three' });
    await boss.send(queue, null, { singletonKey: 'four' });
    const ran: string[] = [];

    await engine.serve(async (sessionId) => void ran.push(sessionId));

    await vi.waitFor(
      async () => expect(await statesOf(queue)).toEqual(['completed', 'completed', 'completed', 'completed']),
      patience,
    );
    expect(ran.toSorted()).toEqual(['one', 'two']);
    await engine[Symbol.asyncDispose]();
  });

  it('does not stop the client that it was given', async () => {
    const engine = make();
    await engine.submit('one');

    await engine[Symbol.asyncDispose]();

    await expect(boss.getQueue('no-such')).resolves.toBeNull();
  });
});

async function statesOf(queue: string): Promise<string[]> {
  return (await boss.findJobs(queue)).map(({ state }) => state);
}

describe('pgBossEngine, when something is wrong', () => {
  it('refuses the queue of another program', async () => {
    const queue = fresh();
    await boss.createQueue(queue);

    await expect(make({ queue }).submit('one')).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringContaining('Give the option queue another name'),
    });
  });

  it('says that a server is away, to whoever asks and whoever serves', async () => {
    const engine = pgBossEngine({ connectionString: 'postgres://127.0.0.1:9/none', schema: 'pgboss', connections: 1 });
    const expected = { code: 'ENGINE_FAILED', retryable: true, message: expect.stringContaining('Start the server') };

    await expect(engine.submit('one')).rejects.toMatchObject(expected);
    await expect(engine.serve(async () => undefined)).rejects.toMatchObject(expected);
    await engine[Symbol.asyncDispose]();
  });

  it('says that a client was not started, for good', async () => {
    const engine = make({ boss: new PgBoss('postgres://127.0.0.1:9/none') });

    const error = await engine.submit('one').catch((cause: unknown) => cause);

    expect(error).toMatchObject({ code: 'ENGINE_FAILED', message: expect.stringContaining('Call start()') });
    expect(error).not.toHaveProperty('retryable', true);
    await engine[Symbol.asyncDispose]();
  });

  it('passes the error of a client without a code on', async () => {
    const refusing: PgBossClient = { ...structureOf(boss), send: () => Promise.reject(new Error('no')) };
    const engine = make({ boss: refusing });

    await expect(engine.submit('one')).rejects.toThrow('The queue of runs could not use pg-boss: no.');
    await engine[Symbol.asyncDispose]();
  });

  it.each<[PgBossEngineOptions, string]>([
    [{}, 'Give exactly one of connectionString and boss'],
    [{ connectionString: 'postgres:///x', boss: {} as never }, 'boss must be'],
    [{ boss: {} as never }, 'boss must be'],
    [{ connectionString: 'postgres:///x', queue: 'a b' }, 'queue must be'],
    [{ connectionString: 'postgres:///x', pollEveryMs: 0 }, 'pollEveryMs must be'],
  ])('refuses %j', (options, message) => {
    expect(() => pgBossEngine(options)).toThrow(message);
  });

  it.each(['schema', 'connections'] as const)('refuses %s with a client, which has its own', async (key) => {
    const given = { schema: 'runs', connections: 2 };

    expect(await codeOf((async () => make({ [key]: given[key] }))())).toBe('VALIDATION_ERROR');
  });
});

/** The methods of a client, bound. */
function structureOf(one: PgBoss): PgBossClient {
  return {
    createQueue: (name, options) => one.createQueue(name, options),
    getQueue: (name) => one.getQueue(name),
    send: (name, data, options) => one.send(name, data, options),
    fetch: (name, options) => one.fetch(name, options),
    complete: (name, jobs) => one.complete(name, jobs),
    touch: (name, jobs) => one.touch(name, jobs),
  };
}
