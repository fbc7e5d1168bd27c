import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AgentError, type RunContext } from '@x/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { localEngine, memoryStore, type SessionStore, serveSessions, sqliteStore } from '../../src/index.ts';
import { bodiesOf, scriptedProvider } from '../support/makers.ts';
import { secondProcess } from '../support/second-process.ts';
import { answering, linesOf, newSession, sendTo, served } from '../support/served.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'look-out-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Two stores on the same sessions. */
const pairs: [string, () => [SessionStore, SessionStore]][] = [
  ['memory', () => [memoryStore()].flatMap((store) => [store, store]) as [SessionStore, SessionStore]],
  [
    'sqlite',
    () => {
      const path = join(folder, `${crypto.randomUUID()}.db`);
      return [sqliteStore({ path }), sqliteStore({ path })];
    },
  ],
  [
    'directory',
    () => {
      const directory = join(folder, crypto.randomUUID());
      return [sqliteStore({ directory }), sqliteStore({ directory })];
    },
  ],
];
const patience = { timeout: 15_000, interval: 10 };

describe.each(pairs)('a worker over the %s store', (_name, open) => {
  it('takes up what was sent through another store, within its interval', async () => {
    const [here, elsewhere] = open();
    const ids = [await newSession(elsewhere), await newSession(elsewhere)];
    await using worker = await served(here, { lookEveryMs: 10 });

    for (const round of [1, 2]) {
      for (const sessionId of ids) await sendTo(elsewhere, sessionId, `Message ${round}`);
      const expected = Array.from({ length: round }, () => ['user', 'assistant', 'ended: success']).flat();
      for (const sessionId of ids)
        await vi.waitFor(async () => expect(await linesOf(elsewhere, sessionId)).toEqual(expected), patience);
    }

    expect(worker.errors).toEqual([]);
    expect(worker.engine.asked.toSorted()).toEqual([...ids, ...ids].toSorted());
  });
});

describe('a look-out', () => {
  it('asks once for what stays in the inbox, also for a session that is left alone', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    const options = vi.fn(() => undefined);
    let looks = 0;
    const looking = { ...store, waiting: async () => ((looks += 1), (await store.waiting?.()) ?? []) };
    await using _worker = await served(looking, { lookEveryMs: 1, options });

    await sendTo(store, sessionId, 'Hello?');
    await vi.waitFor(() => expect(options).toHaveBeenCalledTimes(1), patience);
    const before = looks;
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 10), patience);

    expect(options).toHaveBeenCalledTimes(1);
  });

  it('tells that a store fails, once, and goes on when it works again', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    let fails = false;
    let failures = 0;
    const failing = {
      ...store,
      waiting: async () => {
        if (fails && ++failures > 0)
          throw new AgentError('The disk is slow', { code: 'STORE_FAILED', retryable: true });
        return (await store.waiting?.()) ?? [];
      },
    };
    await using worker = await served(failing, { lookEveryMs: 1 });
    fails = true;
    await sendTo(store, sessionId, 'Hello?');
    await vi.waitFor(() => expect(failures).toBeGreaterThan(3), patience);
    fails = false;

    await vi.waitFor(async () => expect(await linesOf(store, sessionId)).toHaveLength(3), patience);
    expect(worker.errors).toMatchObject([{ code: 'STORE_FAILED' }]);
  });

  it('ends with its worker, and with its engine', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    let looks = 0;
    const looking = { ...store, waiting: async () => ((looks += 1), (await store.waiting?.()) ?? []) };
    const disposed = await served(looking, { lookEveryMs: 1 });
    await disposed[Symbol.asyncDispose]();
    const left = await served(looking, { lookEveryMs: 1 });
    await left.engine[Symbol.asyncDispose]();
    await sendTo(store, sessionId, 'Hello?');
    await vi.waitFor(async () => {
      const before = looks;
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(looks).toBe(before);
    }, patience);

    expect(await linesOf(store, sessionId)).toEqual([]);
    await left.serving[Symbol.asyncDispose]();
  });
});

describe('a run that another process has begun', () => {
  it('is taken up by a worker that lives when that process is killed, and only once', async () => {
    const path = join(folder, `${crypto.randomUUID()}.db`);
    await using store = sqliteStore({ path });
    const sessionId = await newSession(store);
    const { provider } = scriptedProvider(answering);
    let isServed = false;
    const asked: string[] = [];
    const options = (id: string) => {
      asked.push(id);
      return isServed ? { provider, model: 'm', allowedTools: [] } : undefined;
    };
    await using worker = await served(store, { lookEveryMs: 10, options });
    await sendTo(store, sessionId, 'Wait.');
    await vi.waitFor(() => expect(asked).toEqual([sessionId]), patience);
    const runner = secondProcess(path, 'runner.ts', [sessionId]);
    expect(await runner.send('go')).toBe('calls');

    isServed = true;
    await runner.kill();
    await vi.waitFor(async () => expect((await linesOf(store, sessionId)).at(-1)).toBe('ended: success'), patience);
    await worker.engine.idle();

    expect(asked).toEqual([sessionId, sessionId]);
    expect((await bodiesOf(store, sessionId)).filter(({ type }) => type === 'run_resumed')).toHaveLength(1);
    expect(worker.errors).toEqual([]);
  });

  it('is taken up when its worker leaves it, by the others', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    const begun = Promise.withResolvers<void>();
    const { provider } = scriptedProvider(answering);
    const stuck = {
      name: 'stuck',
      beforeAgent: async (_: unknown, { signal }: RunContext) => {
        begun.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    };
    const leaving = await served(store, {
      lookEveryMs: 1,
      options: () => ({ provider, model: 'm', allowedTools: [], handlers: [stuck] }),
    });
    await sendTo(store, sessionId, 'Hello?');
    await begun.promise;
    let isServed = false;
    await using staying = await served(store, {
      lookEveryMs: 1,
      options: () => (isServed ? { provider, model: 'm', allowedTools: [] } : undefined),
    });

    await staying.engine.idle();
    isServed = true;
    await leaving[Symbol.asyncDispose]();
    await vi.waitFor(
      async () => expect(await linesOf(store, sessionId)).toEqual(['user', 'assistant', 'ended: success']),
      patience,
    );

    expect(staying.errors).toEqual([]);
  });
});

describe('a worker that is disposed of', () => {
  it('lets runs under way end first, begins none, and leaves those that take too long', async () => {
    const outcomes: string[][] = [];
    for (const [drainMs, isStuck] of [
      [0, false],
      [60_000, false],
      [20, true],
    ] as const) {
      const store = memoryStore();
      const [running, waiting] = [await newSession(store), await newSession(store)];
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const { provider } = scriptedProvider(answering);
      const slow = {
        name: 'slow',
        beforeAgent: async (_: unknown, { signal }: RunContext) => {
          signal.addEventListener('abort', () => gate.resolve());
          begun.resolve();
          await gate.promise;
        },
      };
      const engine = localEngine({ concurrency: 1 });
      const options = () => ({ provider, model: 'm', allowedTools: [], handlers: [slow] });
      const serving = await serveSessions({ engine, store, options, drainMs, lookEveryMs: 1 });
      await sendTo(store, running, 'Hello?');
      await begun.promise;
      await sendTo(store, waiting, 'And here?');

      const disposed = serving[Symbol.asyncDispose]();
      if (!isStuck) gate.resolve();
      await disposed;

      outcomes.push([...(await linesOf(store, running)), '/', ...(await linesOf(store, waiting))]);
      await engine[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    }

    expect(outcomes).toEqual([['/'], ['user', 'assistant', 'ended: success', '/'], ['/']]);
  });
});

describe('a worker without a store of the host', () => {
  it('serves the default one, and keeps its process alive until it is closed', async () => {
    const home = join(folder, 'home');
    const env = { PATH: process.env['PATH'], HOME: home, AGENT_SDK_HOME: home };
    const file = fileURLToPath(new URL('../programs/worker.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', file], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
    const ended = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('serves');
    const store = sqliteStore({ path: join(home, 'sessions.db') });
    const sessionId = await newSession(store);

    for (const text of ['Hello?', 'Still there?']) {
      await sendTo(store, sessionId, text);
      expect((await lines.next()).value).toBe(sessionId);
    }

    child.stdin.end();
    expect(await ended).toEqual([0, null]);
    expect(await linesOf(store, sessionId)).toHaveLength(6);
    await store[Symbol.asyncDispose]();
  });
});
