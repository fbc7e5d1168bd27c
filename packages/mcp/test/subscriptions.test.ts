import { afterEach, describe, expect, it } from 'vitest';
import { ResourceSubscriptions } from '../src/hub/resource-subscriptions.ts';
import type { McpHub, McpHubOptions, McpNotice } from '../src/index.ts';
import type { McpConnection } from '../src/port/connection.ts';
import { called, closeAll, folder, hubOf, linesOf, toolOf, until } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

async function hubWith(options: Partial<McpHubOptions> = {}) {
  const journal = `${folder()}/journal`;
  const hub = hubOf({ a: stdio({ more: true, journal }), b: stdio() }, options);
  await hub.ready();
  const asked = () => linesOf(journal).filter((line) => line.includes('subscribe'));
  return { hub, asked };
}
const touch = (hub: McpHub, uri: string, times = 1) => called(toolOf(hub, 'mcp__a__touch'), { uri, times });

describe('a subscription to a resource', () => {
  it('is told of updates of the resource and of those below it, until it is ended', async () => {
    const { hub, asked } = await hubWith();
    const [told, other]: [string[], string[]] = [[], []];
    const end = await hub.subscribe('a', 'mem://a', (uri) => told.push(uri));
    await hub.subscribe('a', 'mem://b', (uri) => other.push(uri));

    await touch(hub, 'mem://a');
    await until(() => told.length === 1);
    await touch(hub, 'mem://a/part');
    await until(() => told.length === 2);
    await touch(hub, 'mem://ab');
    await touch(hub, 'mem://b');
    await until(() => other.length === 1);
    await end();
    await touch(hub, 'mem://a');
    await touch(hub, 'mem://b');
    await until(() => other.length === 2);

    expect(told).toEqual(['mem://a', 'mem://a']);
    expect(asked()).toEqual(['subscribe mem://a', 'subscribe mem://b', 'unsubscribe mem://a']);
    await end(); // nothing more to end
    expect(asked()).toHaveLength(3);
  });

  it('is told of a storm in few calls', async () => {
    const { hub } = await hubWith();
    const told: string[] = [];
    await hub.subscribe('a', 'mem://a', (uri) => told.push(uri));
    await hub.subscribe('a', 'mem://b', (uri) => told.push(uri));

    await touch(hub, 'mem://a', 1_000);
    await touch(hub, 'mem://b');
    await until(() => told.includes('mem://b'));

    expect(told.filter((uri) => uri === 'mem://a').length).toBeLessThan(100);
    expect(told).toContain('mem://a');
  });

  it('is shared by all who listen, and one that throws disturbs none', async () => {
    const { hub, asked } = await hubWith();
    const told: string[] = [];
    const listener = (uri: string) => void told.push(uri);
    const fails = () => {
      throw new Error('mine');
    };
    const ends = [await hub.subscribe('a', 'mem://a', fails)];
    for (const _ of [1, 2]) ends.push(await hub.subscribe('a', 'mem://a', listener));

    await touch(hub, 'mem://a');
    await until(() => told.length === 2);
    for (const end of ends) await end();

    expect(asked().filter((line) => line.startsWith('un'))).toEqual(['unsubscribe mem://a']);
  });

  it('holds over a reconnect, after which it is told once, and ends with the hub', async () => {
    const { hub, asked } = await hubWith();
    const told: string[] = [];
    await hub.subscribe('a', 'mem://a', (uri) => told.push(uri));
    await called(toolOf(hub, 'mcp__a__exit')); // the server is started again by itself
    await until(() => told.length === 1);
    await touch(hub, 'mem://a');
    await until(() => told.length === 2);

    await hub.close();

    expect(asked()).toEqual(['subscribe mem://a', 'subscribe mem://a', 'unsubscribe mem://a']);
  });

  it('is a notice when a new connection does not take it', async () => {
    const notices: McpNotice[] = [];
    const { hub } = await hubWith({ onNotice: (notice) => notices.push(notice) });
    const refusals = () => notices.filter(({ message }) => message.includes('no longer tells of mem://once'));
    await hub.subscribe('a', 'mem://once', () => undefined);
    expect(refusals()).toEqual([]);

    await hub.reconnect('a');
    await until(() => refusals().length > 0);

    expect(refusals()).toMatchObject([{ kind: 'mcp_problem', message: expect.stringContaining('no such resource') }]);
  });

  it('is subscribed to again after disconnect and connect; what was ended is not', async () => {
    const { hub, asked } = await hubWith();
    await hub.subscribe('a', 'mem://a', () => undefined);
    const end = await hub.subscribe('a', 'mem://b', () => undefined);
    await hub.disconnect('a');
    await end();

    await hub.connect('a');
    await until(() => asked().length === 5);

    expect(asked()).toEqual([
      'subscribe mem://a',
      'subscribe mem://b',
      'unsubscribe mem://a',
      'unsubscribe mem://b',
      'subscribe mem://a',
    ]);
  });

  it('is refused by a server that takes none, or not this one, and leaves nothing', async () => {
    const { hub } = await hubWith();
    const none = hub.subscribe('b', 'mem://a', () => undefined);
    await expect(none).rejects.toMatchObject({
      errorType: 'PROTOCOL_ERROR',
      message: expect.stringMatching(/no subscr/),
    });
    const unknown = hub.subscribe('a', 'mem://none', () => undefined);
    await expect(unknown).rejects.toMatchObject({
      code: 'MCP_ERROR',
      message: expect.stringMatching(/no such resource/),
    });
    const aborted = hub.subscribe('a', 'mem://a', () => undefined, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    await expect(hub.subscribe('x', 'mem://a', () => undefined)).rejects.toMatchObject({ errorType: 'CONFIG_ERROR' });
  });
});

describe('ResourceSubscriptions', () => {
  const { signal } = new AbortController();
  const made = (connection?: McpConnection) => {
    const failures: unknown[] = [];
    const subscriptions = new ResourceSubscriptions({
      serverName: 's',
      subscribe: async () => undefined,
      connection: () => connection,
      failed: (uri, error) => failures.push([uri, error]),
      timeoutMs: 10,
    });
    return { subscriptions, failures };
  };

  it('makes one call of all notices that come together', async () => {
    const { subscriptions } = made();
    const told: string[] = [];
    await subscriptions.add('mem://a', (uri) => told.push(uri), signal);
    await subscriptions.add('mem://b', (uri) => told.push(uri), signal);

    for (let notice = 0; notice < 1_000; notice += 1) subscriptions.update(`mem://a/${notice}`);
    await until(() => told.length > 0);
    subscriptions.update('mem://b');
    await until(() => told.length > 1);

    expect(told).toEqual(['mem://a', 'mem://b']);
  });

  it('has a limit, which counts resources and not listeners', async () => {
    const { subscriptions } = made();
    const listen = (uri: string) => subscriptions.add(uri, () => undefined, signal);
    const ends = await Promise.all(Array.from({ length: 256 }, (_, index) => listen(`mem://${index}`)));

    await listen('mem://0');
    await expect(listen('mem://more')).rejects.toMatchObject({ message: expect.stringMatching(/256 subscriptions/) });
    await ends[1]!();
    await listen('mem://more');
  });

  it('says which subscription a new connection does not take, and tells nobody that it leaves', async () => {
    const error = new Error('gone');
    const request = () => Promise.reject(error);
    const connection = { request } as unknown as McpConnection; // the rest is not used
    const { subscriptions, failures } = made(connection);
    const told: string[] = [];
    const end = await subscriptions.add('mem://a/', (uri) => told.push(uri), signal);

    await subscriptions.renew(connection);
    subscriptions.update('mem://a/b');
    await subscriptions.leave(connection);
    await end();

    expect(failures).toEqual([['mem://a/', error]]);
    expect(told).toEqual([]);
  });
});
