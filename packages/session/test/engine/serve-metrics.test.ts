import { type DataPoint, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { AgentError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { scriptedProvider, toolNamed } from '../support/makers.ts';
import { expiring } from '../support/resumed.ts';
import { newSession, sendTo, served } from '../support/served.ts';
import { threeStores } from '../support/three-stores.ts';

const stores = threeStores();

/** Gives what has been measured when it is asked. */
class Reader extends MetricReader {
  protected override onShutdown = async () => undefined;
  protected override onForceFlush = async () => undefined;
}

/** A meter, and a line for each series that is read from it: name, value, attributes. */
function metered() {
  const reader = new Reader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
  const points = async () => {
    const { resourceMetrics } = await reader.collect();
    return resourceMetrics.scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ descriptor: { name }, dataPoints }) =>
        (dataPoints as DataPoint<number>[]).map(({ value, attributes }) => ({ name, value, attributes })),
      );
  };
  const lines = async () =>
    (await points()).map(({ name, value, attributes }) => [name, value, ...Object.values(attributes)].join(' '));
  return { meter, points, lines };
}

describe('the queue of serveSessions', () => {
  it.each(stores)('is measured in %s when the meter is read, until it is disposed of', async (_name, open) => {
    await using inner = open();
    let asked = 0;
    const backlog = () => {
      asked += 1;
      return inner.backlog!(); // safe: these stores have it
    };
    const store = { ...inner, backlog };
    const { meter, points } = metered();
    const worker = await served(store, { meter, options: () => undefined });
    const depths: unknown[] = [];
    const look = async () => depths.push((await points()).find(({ name }) => name === 'agent_sdk.queue.depth')?.value);

    await look();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    await worker.engine.idle(); // it is left alone
    await look();
    const age = (await points()).find(({ name }) => name === 'agent_sdk.queue.age')?.value;
    const lease = (await store.acquire(sessionId, 'other', 60_000))!; // safe: it was free
    await look();
    await store.release(lease);
    await worker[Symbol.asyncDispose]();
    const before = asked;
    await points();

    expect([depths, asked - before]).toEqual([[0, 1, 0], 0]);
    expect(age).toBeGreaterThanOrEqual(0);
  });

  it('is not measured while the store does not answer, nor in a store that does not count', async () => {
    const inner = memoryStore();
    const { backlog: _, ...without } = inner;
    const failing = { ...inner, backlog: () => Promise.reject(new AgentError('away', { code: 'STORE_FAILED' })) };
    const [one, other] = [metered(), metered()];
    await using _worker = await served(failing, { meter: one.meter });
    await using _second = await served(without, { meter: other.meter });

    expect([await one.lines(), await other.lines()]).toEqual([[], []]);
  });
});

describe('the sessions of serveSessions', () => {
  it('are counted where they are lost to another owner, and where they are taken up', async () => {
    const store = expiring(memoryStore());
    const sessionId = await newSession(store);
    const [here, elsewhere] = [metered(), metered()];
    let attempts = 0;
    const losing = toolNamed('losing', async () => {
      if (++attempts > 1) return 'done elsewhere';
      await using other = await served(store, { options, meter: elsewhere.meter });
      await other.engine.idle();
      return 'too late';
    }, { kind: 'readonly' }); // biome-ignore format: one tool
    const { provider } = scriptedProvider(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { toolCalls: [{ id: 'l', name: 'losing' }] } : { text: 'Done.' },
    );
    const options = () => ({ provider, model: 'm', tools: [losing] });
    await using worker = await served(store, { options, meter: here.meter });
    await sendTo(store, sessionId, 'Hello?');

    await worker.engine.submit(sessionId);
    await worker.engine.idle();

    const counted = (lines: string[]) => lines.filter((line) => line.includes('sessions.'));
    expect(counted(await here.lines())).toEqual(['agent_sdk.sessions.lost 1 SESSION_FENCED']);
    expect(counted(await elsewhere.lines())).toEqual(['agent_sdk.sessions.taken_up 1 interrupted']);
  });

  it('are not lost when they are left, and are taken up as such', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    const begun = Promise.withResolvers<void>();
    const [here, next] = [metered(), metered()];
    const holding = toolNamed('holding', async (_, { signal }) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'too late';
    });
    const { provider } = scriptedProvider(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { toolCalls: [{ id: 'h', name: 'holding' }] } : { text: 'Done.' },
    );
    const options = () => ({ provider, model: 'm', tools: [holding], permissionMode: 'bypassPermissions' as const });
    const worker = await served(store, { options, meter: here.meter });
    await sendTo(store, sessionId, 'Hello?');
    void worker.engine.submit(sessionId);
    await begun.promise;

    await worker[Symbol.asyncDispose]();
    await using other = await served(store, { options, meter: next.meter });
    await other.engine.idle();

    expect(await here.lines()).toEqual([]);
    expect((await next.lines()).filter((line) => line.includes('sessions.'))).toEqual([
      'agent_sdk.sessions.taken_up 1 left',
    ]);
  });

  it('refuses what is no meter', async () => {
    await using store = memoryStore();

    await expect(served(store, { meter: {} as never })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' }); // safe: refused
  });
});
