import { afterEach, describe, expect, it } from 'vitest';
import { type McpHubOptions, type McpToolCache, memoryToolCache } from '../src/index.ts';
import { called, closeAll, folder, hubOf, linesOf, toolOf, until } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

/** A hub that knows the tools of its server from an earlier one, and the starts of that server since then. */
async function knowing(options: Partial<McpHubOptions> = {}, server: object = {}) {
  const journal = `${folder()}/journal`;
  const [cache, a] = [memoryToolCache(), stdio({ journal, ...server })];
  const earlier = hubOf({ a }, { cache, resourceTools: true });
  await earlier.ready();
  await earlier.close();
  const starts = () => linesOf(journal).filter((line) => line.startsWith('start')).length - 1;
  return { hub: hubOf({ a }, { cache, resourceTools: true, knownWaitMs: 2 ** 31 - 1, ...options }), starts };
}

describe('a server whose tools are known (M20)', () => {
  it('is not started before one of its tools is called; the status says so', async () => {
    const { hub, starts } = await knowing();

    await hub.ready({ unknownOnly: true });

    expect(hub.tools()).toHaveLength(12);
    expect(hub.status()).toMatchObject([{ status: 'disconnected', toolCount: 12 }]);
    expect(starts()).toBe(0);
    expect(await called(toolOf(hub, 'mcp__a__echo'), { text: 'x' })).toMatchObject({ output: 'x' });
    expect(hub.status()).toMatchObject([{ status: 'connected', toolCount: 12 }]);
    expect(starts()).toBe(1);
  });

  it('is connected at once without a wait', async () => {
    const { hub } = await knowing({ knownWaitMs: 0 });

    expect(hub.status()).toMatchObject([{ status: 'connecting' }]);
    await hub.ready({ unknownOnly: true });
    expect(hub.status()).toMatchObject([{ status: 'connected' }]);
  });

  it('is connected when the time is over, by ready(), and by connect()', async () => {
    const late = await knowing({ knownWaitMs: 20 });
    await until(() => late.hub.status()[0]!.status === 'connected');

    const ready = await knowing();
    await ready.hub.ready();
    expect(ready.hub.status()).toMatchObject([{ status: 'connected' }]);

    const asked = await knowing();
    await asked.hub.connect('a');
    await asked.hub.ready({ unknownOnly: true });
    expect(asked.hub.status()).toMatchObject([{ status: 'connected' }]);
    expect([late.starts(), ready.starts(), asked.starts()]).toEqual([1, 1, 1]);
  });

  it('has tools that are read once for all hubs of a process, and once more for another name or other limits', async () => {
    const [kept, a] = [memoryToolCache(), stdio({})];
    let written = 0;
    const cache: McpToolCache = { get: kept.get, set: (...known) => (written++, kept.set(...known)) };
    const schemasOf = async (server: object, options: Partial<McpHubOptions> = {}) => {
      const hub = hubOf(server as { a: typeof a }, { cache, ...options });
      await hub.ready();
      return hub.tools().map(({ inputSchema }) => inputSchema);
    };
    const first = await schemasOf({ a });
    const second = await schemasOf({ a });
    const third = await schemasOf({ a }, { knownWaitMs: 2 ** 31 - 1 });
    const other = await schemasOf({ b: a });
    const short = await schemasOf({ a }, { limits: { maxDescriptionLength: 3 } });

    expect(first.length).toBeGreaterThan(0);
    const isSame = (list: typeof first) => list.map((schema, index) => schema === first[index]);
    expect([isSame(second), isSame(third)].flat()).not.toContain(false);
    expect([isSame(other), isSame(short)].flat()).not.toContain(true);
    expect(written).toBe(1);
  });

  it('is left without having been started', async () => {
    const { hub, starts } = await knowing();

    await hub.disconnect('a');
    await hub.ready();

    expect(hub.tools()).toEqual([]);
    expect(hub.status()).toMatchObject([{ status: 'disconnected', toolCount: 0 }]);
    expect(starts()).toBe(0);
  });

  it('that hangs when it is needed ends a call with the abort of the call', async () => {
    const hang = stdio({ hang: true });
    const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
    const cache = {
      get: () => ({ tools: [look], resources: false }),
      set: () => undefined,
    };
    const hub = hubOf({ a: hang }, { cache, knownWaitMs: 2 ** 31 - 1 });
    const end = new AbortController();

    const call = called(toolOf(hub, 'mcp__a__look'), {}, end.signal);
    await until(() => hub.status()[0]!.status === 'connecting');
    end.abort();

    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });
});
