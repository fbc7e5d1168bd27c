import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BullmqEngineOptions, bullmqEngine } from '../../src/bullmq/index.ts';
import { hasRedis, NEEDS_REDIS, RedisServer } from '../support/redis-server.ts';
import { heldWork, type RedisWorld, redisWorld } from '../support/redis-world.ts';

const patience = { timeout: 45_000 };

let world: RedisWorld | undefined;
let server: RedisServer;
let make: RedisWorld['make'];
beforeAll(async () => {
  world = await redisWorld();
  if (world) ({ server, make } = world);
}, 60_000);
afterAll(() => world?.[Symbol.asyncDispose]());

describe.skipIf(!hasRedis)(`bullmqEngine, when something is wrong${NEEDS_REDIS}`, () => {
  it('goes on with a run while the server is away, and with new asks when it is back without its jobs', async () => {
    const own = await RedisServer.start();
    const onError = vi.fn();
    const engine = make({ connection: own.url, onError });
    const { began, release, work } = heldWork();
    const ran: string[] = [];
    await engine.serve(async (sessionId) => {
      await work(sessionId);
      ran.push(sessionId);
    });
    await engine.submit('one');
    await began;

    await own.kill();
    await expect(engine.submit('two')).rejects.toMatchObject({ code: 'ENGINE_FAILED', retryable: true });
    release();
    await vi.waitFor(() => expect(ran).toEqual(['one']), patience);
    await own.restart();

    await vi.waitFor(() => engine.submit('two'), patience);
    await vi.waitFor(() => expect(ran).toEqual(['one', 'two']), patience);
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: 'ENGINE_FAILED' }), '']]);
    await engine[Symbol.asyncDispose]();
    await own[Symbol.asyncDispose]();
  });

  it('makes a new connection when the network has forgotten the one that it has', async () => {
    const network = await forgetfulNetwork(server.url);
    const engine = make({
      connection: { port: network.port },
      lockDuration: 1_000,
      stalledInterval: 1_000,
      onError: () => undefined,
    });
    const ran: string[] = [];
    await engine.serve(async (sessionId) => void ran.push(sessionId));
    await engine.submit('one');
    await vi.waitFor(() => expect(ran).toEqual(['one']), patience);

    network.forget();

    await vi.waitFor(() => engine.submit('two'), patience);
    await vi.waitFor(() => expect(ran).toEqual(['one', 'two']), patience);
    await engine[Symbol.asyncDispose]();
    network.close();
  });

  it('reports a job that it cannot remove', async () => {
    const onError = vi.fn();
    const queue = world!.fresh();
    const engine = make({ queue, onError });
    const { began, release, work } = heldWork();
    const serving = await engine.serve(work);
    await engine.submit('one');
    await began;
    await world!.redis.set(`bull:${queue}:active`, 'not a list');

    release();
    await serving[Symbol.asyncDispose]();

    const expected = { code: 'ENGINE_FAILED', message: expect.stringContaining('(WRONGTYPE)') };
    await vi.waitFor(() => expect(onError.mock.calls).toEqual([[expect.objectContaining(expected), '']]), patience);
    await engine[Symbol.asyncDispose]();
  });

  it('refuses a connection with prefixes of its own, for good', async () => {
    const prefixing = new Redis(server.url, { keyPrefix: 'mine:' });
    const engine = make({ connection: prefixing });

    const error = await engine.submit('one').catch((cause: unknown) => cause);

    expect(error).toMatchObject({ code: 'ENGINE_FAILED', message: expect.stringContaining('use the prefix option') });
    expect(error).not.toHaveProperty('retryable', true);
    await engine[Symbol.asyncDispose]();
    prefixing.disconnect();
  });

  it('says that a user is not known', async () => {
    const engine = make({ connection: { path: server.url, username: 'nobody', password: 'none' } });

    await expect(engine.submit('one')).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringContaining('Correct the user or the password'),
    });
    await engine[Symbol.asyncDispose]();
  });
});

/** A way to the server; after `forget` nothing passes any more over the connections of the time, and nobody is told. */
async function forgetfulNetwork(socket: string) {
  const sides: Socket[] = [];
  const listener = createServer((near) => {
    const far = createConnection(socket);
    near.pipe(far).pipe(near);
    for (const side of [near, far]) side.on('error', () => undefined);
    sides.push(near, far);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo; // safe: it listens on TCP
  return {
    port,
    forget: () => sides.forEach((side) => side.unpipe().pause()),
    close: () => {
      for (const side of sides) side.destroy();
      listener.close();
    },
  };
}

describe('bullmqEngine without a server', () => {
  it('says that it is away, to whoever asks and whoever serves', async () => {
    const engine = bullmqEngine({ connection: 'redis://127.0.0.1:9' });
    const expected = { code: 'ENGINE_FAILED', retryable: true, message: expect.stringContaining('Start the server') };

    await expect(engine.submit('one')).rejects.toMatchObject(expected);
    await expect(engine.serve(async () => undefined)).rejects.toMatchObject(expected);
    await engine[Symbol.asyncDispose]();
  });

  it('says that what is there hangs up', async () => {
    const listener = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const engine = bullmqEngine({ connection: { port } });

    await expect(engine.submit('one')).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      retryable: true,
      message: expect.stringContaining('Connection is closed'),
    });
    await engine[Symbol.asyncDispose]();
    listener.close();
  });

  it.each<[Partial<BullmqEngineOptions>, string]>([
    [{}, 'connection must be'],
    [{ connection: ' ' }, 'connection must be'],
    [{ connection: [] }, 'connection must be'],
    [{ connection: null as never }, 'connection must be'],
    [{ connection: new Map() }, 'connection must be'],
    [{ connection: 'redis://x', queue: 'a:b' }, 'queue must be'],
    [{ connection: 'redis://x', prefix: '' }, 'prefix must be'],
    [{ connection: 'redis://x', lockDuration: 999 }, 'lockDuration must be'],
    [{ connection: 'redis://x', stalledInterval: 0 }, 'stalledInterval must be'],
    [{ connection: 'redis://x', stalledInterval: 10_001 }, 'at most lockDuration, which is 10000'],
    [{ connection: 'redis://x', pollEveryMs: 0 }, 'pollEveryMs must be'],
  ])('refuses %j', (options, message) => {
    expect(() => bullmqEngine(options as BullmqEngineOptions)).toThrow(message);
  });

  it('does not show the URL, which may hold a password', () => {
    const secret = ['redis://:secret@host'] as never;

    expect(() => bullmqEngine({ connection: secret })).not.toThrow('secret');
  });
});
