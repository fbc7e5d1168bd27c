import { hostname } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { releaseSession, retrySession, runningSessions } from '../../src/operations/index.ts';
import { codeOf, scriptedProvider, toolNamed } from '../support/makers.ts';
import { linesOf, newSession, sendTo, served } from '../support/served.ts';
import { threeStores } from '../support/three-stores.ts';

const stores = threeStores();

/** Options of sessions whose tool holds on until `go`, and what tells that it has begun. */
function holding() {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const tool = toolNamed('hold', async () => {
    calls += 1;
    begun.resolve();
    if (calls === 1) await go.promise;
    return 'held';
  });
  const { provider } = scriptedProvider(({ messages }) =>
    messages.at(-1)?.role === 'user' ? { toolCalls: [{ id: 'h', name: 'hold' }] } : { text: 'Done.' },
  );
  const options = { provider, model: 'm', tools: [tool], permissionMode: 'bypassPermissions' as const };
  return { options: () => options, begun: begun.promise, go: go.resolve, calls: () => calls };
}

describe.each(stores)('a session that hangs, in %s', (_name, open) => {
  it('is listed with its process, is released, and goes on elsewhere, while the append of its owner is refused', async () => {
    await using store = open();
    const sessionId = await newSession(store);
    const { options, begun, go, calls } = holding();
    await using first = await served(store, { options });
    await sendTo(store, sessionId, 'Hello?');
    void first.engine.submit(sessionId);
    await begun;

    const [running, ...others] = await runningSessions({ store });
    await releaseSession(sessionId, { store });
    const afterwards = await runningSessions({ store });
    await using second = await served(store, { options, lookEveryMs: 10 });
    await vi.waitFor(async () => expect(await linesOf(store, sessionId)).toContain('ended: success'), {
      timeout: 45_000,
    });
    const before = await linesOf(store, sessionId);
    go();
    await first.engine.idle();

    expect(running).toMatchObject({ sessionId, epoch: expect.any(Number) as number });
    expect(running?.process).toMatchObject({ host: hostname(), pid: process.pid });
    expect(Math.abs(Date.now() - Date.parse(running?.process?.since ?? ''))).toBeLessThan(3_600_000);
    expect([others, afterwards, second.errors]).toEqual([[], [], []]);
    expect([await linesOf(store, sessionId), calls()]).toEqual([before, 1]); // the call is reported as unknown, not run again
  });
});

describe('runningSessions', () => {
  it('names no process for an owner of an older version, and refuses a store that lists none', async () => {
    await using store = memoryStore();
    await store.create('s1', { type: 'session_created', format: 1, cwd: '/' });
    const lease = (await store.acquire('s1', crypto.randomUUID(), 60_000))!; // safe: it was free
    await store.append('s1', { epoch: lease.epoch, head: 1 }, [
      { type: 'run_started', runId: 'r', messageId: 'm', model: 'x' },
    ]);
    const { held: _, ...without } = store;

    expect(await runningSessions({ store })).toEqual([
      { sessionId: 's1', owner: lease.owner, epoch: 1, leaseLeftMs: expect.any(Number) as number },
    ]);
    await expect(runningSessions({ store: without })).rejects.toThrow('does not list the owners');
  });
});

describe('releaseSession', () => {
  it('leaves a free session free, and does not know one that is not there', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await releaseSession(sessionId, { store });

    expect(await store.leaseLeftMs?.(sessionId)).toBe(0);
    expect(await codeOf(releaseSession('nobody', { store }))).toBe('SESSION_NOT_FOUND');
  });
});

describe('retrySession', () => {
  it('runs what has failed once more, and says when there is nothing to do', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    let fails = true;
    const { provider } = scriptedProvider(() =>
      fails ? { error: new Error('The model is away') } : { text: 'Done.' },
    );
    const options = { provider, model: 'm', store, sessionId, retryBudgetMs: 1 };
    await sendTo(store, sessionId, 'Hello?');
    const failed = await retrySession(options);
    fails = false;
    const done = await retrySession(options);

    await sendTo(store, sessionId, 'And now?');
    const waited = await retrySession(options);

    expect([failed, done, waited].map((one) => one?.subtype)).toEqual(['error', 'success', 'success']);
    expect(await codeOf(retrySession(options))).toBe('NOTHING_TO_STREAM');
  });
});
