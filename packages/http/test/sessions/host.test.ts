import { AuthorizationError } from '@x/core';
import { createSession, localEngine, memoryStore } from '@x/session';
import { describe, expect, it, vi } from 'vitest';
import { createApp, createServer, serve } from '../../src/index.ts';
import { type ProfileCaller, sessionHost } from '../../src/sessions/index.ts';
import { eventsUntil, resultOf } from '../support/followed.ts';
import { ANN, BEN, hosted, profileOf, type scripted, TOKENS, toolNamed } from '../support/hosted.ts';
import { keptLog } from '../support/served.ts';

describe('a profile', () => {
  it('may be a function of its caller, which is asked again when the session is run', async () => {
    const asked: ProfileCaller[] = [];
    const chat = async (caller: ProfileCaller) => {
      asked.push(caller);
      return profileOf(() => ({ text: `Hello ${caller.tokenName}, of ${caller.metadata['order']}.` }));
    };
    await using host = await hosted({ profiles: { chat } });
    const path = await host.made({ metadata: { order: '7' }, message: 'Hello.' });

    expect((await resultOf(host, path)).event).toMatchObject({ content: 'Hello ann, of 7.' });
    expect(asked.length).toBeGreaterThan(1);
    expect(asked).toEqual(Array(asked.length).fill({ tokenName: 'ann', metadata: { order: '7' } }));
  });

  it('may refuse a caller with an error of its own', async () => {
    const chat = ({ tokenName }: ProfileCaller) => {
      if (tokenName !== 'ann') throw new AuthorizationError('Only Ann may do this');
      return profileOf();
    };
    await using host = await hosted({ profiles: { chat } });

    expect((await host.ask('POST', '/v1/sessions', {}, BEN)).json()).toMatchObject({ error: 'Only Ann may do this' });
    expect((await host.ask('POST', '/v1/sessions', {}, ANN)).statusCode).toBe(201);
  });

  it.each([
    ['options that are wrong', { chat: { ...profileOf(), maxTurns: -1 } }],
    ['a key that is missing', { chat: { provider: { type: 'anthropic' as const }, model: 'm' } }],
  ])('with %s is a fault of the server, not of the client', async (_, profiles) => {
    vi.stubEnv('ANTHROPIC_API_KEY', '');
    await using host = await hosted({ profiles });
    const answer = await host.ask('POST', '/v1/sessions', {});
    vi.unstubAllEnvs();

    expect([answer.statusCode, answer.json().code]).toEqual([500, 'PROFILE_FAILED']);
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });

  it('that is not there any more leaves its sessions to be read', async () => {
    const store = memoryStore();
    const before = await hosted({ store });
    const path = await before.made({ message: 'Hello.' });
    await resultOf(before, path);
    await before.server.close();
    await using host = await hosted({ store, profiles: { other: profileOf() } });

    expect((await host.ask('GET', `${path}/messages`)).statusCode).toBe(200);
    expect((await host.ask('POST', `${path}/messages`, { text: 'Hello.' })).json().code).toBe('PROFILE_FAILED');
  });

  it('keeps its own notes with those of the client', async () => {
    await using host = await hosted({ profiles: { chat: profileOf(undefined, { metadata: { plan: 'free' } }) } });
    const path = await host.made({ metadata: { order: '7' } });

    expect((await host.ask('GET', path)).json().metadata).toEqual({ plan: 'free', order: '7' });
  });

  it('with MCP servers has a command opened with its session, and no other message', async () => {
    const profile = profileOf(undefined, { mcpServers: { gone: { type: 'stdio', command: 'false' } } });
    await using host = await hosted({ profiles: { chat: profile } });
    const path = await host.made();

    expect((await host.ask('POST', `${path}/messages`, { text: '/gone:it now' })).statusCode).toBe(202);
    expect((await host.ask('POST', `${path}/messages`, { text: 'Hello.' })).statusCode).toBe(202);
  });
});

describe('sessionHost', () => {
  it('reports sessions that cannot be run: to the log of the server, or to onError', async () => {
    const store = memoryStore();
    const metadata = { 'http.owner': 'ann', 'http.profile': 'chat' };
    const session = await createSession({ ...profileOf(), store, metadata });
    await session.send('Hello.');
    await session.close();
    const chat = () => {
      throw new Error('no such database');
    };
    const log = keptLog();
    const logged = Promise.withResolvers<unknown>();
    const logger = { ...log.logger, error: (fields: object, message?: string) => logged.resolve([fields, message]) };
    const told = Promise.withResolvers<unknown>();
    const first = await hosted({ store, profiles: { chat } }, { logger });
    const line = await logged.promise;
    await first.server.close();
    const second = await hosted({ store, profiles: { chat }, onError: told.resolve });
    const error = await told.promise;
    await second.server.close();

    const { sessionId } = session;
    expect(line).toMatchObject([{ sessionId, err: { message: 'no such database' } }, 'a session waits']);
    expect(error).toMatchObject({ message: 'no such database' });
  });

  it('is started again after a start that failed, and not after it was closed', async () => {
    const sound = memoryStore();
    let isDown = true;
    const list: typeof sound.list = async (query) => {
      if (isDown) throw new Error('down');
      return await sound.list(query);
    };
    const host = sessionHost({ profiles: { chat: profileOf() }, store: { ...sound, list } });
    await expect(host.start()).rejects.toThrow('down');
    isDown = false;
    await host.start();
    await host.start();
    await host[Symbol.asyncDispose]();
    await host.close();

    await expect(host.start()).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
  });

  it('leaves an engine alone that it was given', async () => {
    const engine = localEngine();
    const host = await hosted({ engine });
    const path = await host.made({ message: 'Hello.' });
    await resultOf(host, path);
    await host.server.close();

    await engine.submit('s'); // it is not closed
    await engine[Symbol.asyncDispose]();
    expect((await host.store.list()).sessions).toHaveLength(1);
  });

  it('waits at its end for runs that end in time', async () => {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<string>();
    const hold = toolNamed('hold', () => {
      begun.resolve();
      return held.promise;
    });
    const chat = profileOf([{ toolCalls: [{ name: 'hold' }] }, { text: 'Done.' }], { tools: [hold] });
    const host = await hosted({ profiles: { chat }, drainMs: 10_000 });
    const path = await host.made({ message: 'Hold.' });
    await begun.promise;
    const closing = host.server.close();
    held.resolve('held');
    await closing;

    expect((await resultOf(host, path)).event).toMatchObject({ subtype: 'success' });
  });

  it('stores what is sent while it ends, for the next one', async () => {
    const store = memoryStore();
    const sessions = sessionHost({ profiles: { chat: profileOf() }, store });
    const app = createApp({ tokens: TOKENS, sessions });
    const headers = { ...ANN, 'content-type': 'application/json' };
    const made = await app.request('/v1/sessions', { method: 'POST', headers, body: '{}' });
    const path = `/v1/sessions/${((await made.json()) as { sessionId: string }).sessionId}`;
    await sessions.close();
    const sent = await app.request(`${path}/messages`, { method: 'POST', headers, body: '{"text":"Hello."}' });
    await using next = await hosted({ store });

    expect(sent.status).toBe(202);
    expect((await resultOf(next, path)).event).toMatchObject({ subtype: 'success' });
  });

  it('an engine that fails is told to whoever sends', async () => {
    const engine = Object.assign(localEngine(), { submit: async () => Promise.reject(new Error('the queue is full')) });
    const sessions = sessionHost({ profiles: { chat: profileOf() }, store: memoryStore(), engine });
    const app = createApp({ tokens: TOKENS, sessions });
    const headers = { ...ANN, 'content-type': 'application/json' };
    const made = await app.request('/v1/sessions', { method: 'POST', headers, body: '{}' });

    expect([made.status, await made.json()]).toEqual([500, expect.objectContaining({ error: 'the queue is full' })]);
  });

  it.each([
    [{ profiles: {} }, 'profiles must be'],
    [{ profiles: { chat: 7 } }, 'profiles.chat must be'],
    [{ store: {} }, 'store must be'],
    [{ engine: {} }, 'engine must be'],
    [{ stallMs: 0 }, 'stallMs must be'],
    [{ heartbeat: 1 }, 'unknown heartbeat'],
  ])('refuses %j', (wrong, words) => {
    const right = { profiles: { chat: profileOf() }, store: memoryStore() };

    expect(() => sessionHost({ ...right, ...wrong } as never)).toThrow(words);
  });

  it('is refused by createApp when it is another thing', () => {
    expect(() => createApp({ token: 't', sessions: {} as never })).toThrow('sessions must be a sessionHost');
  });
});

describe('serve', () => {
  const newHost = () => sessionHost({ profiles: { chat: profileOf() }, store: memoryStore() });

  it('H48 makes a token when none is set, and prints it once, not to the log', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const server = await serve({ port: 0, sessions: newHost() });
    const { token } = server;
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/v1/sessions`, { headers })).status;
    const statuses = [await statusWith({ authorization: `Bearer ${token}` }), await statusWith({})];
    await server.close();
    const printed = write.mock.calls.map(([line]) => String(line)).join('');
    write.mockRestore();

    expect(statuses).toEqual([200, 401]);
    expect(token).toMatch(/^[0-9a-f-]{36}$/);
    expect(printed.split(token!)).toHaveLength(2);
  });

  it('makes none when there is one, nor for an address that others reach', async () => {
    const server = await serve({ port: 0, token: 't', sessions: newHost(), logLevel: 'fatal' });
    const { token } = server;
    await server[Symbol.asyncDispose]();

    expect(token).toBeUndefined();
    await expect(serve({ port: 0, host: '0.0.0.0', sessions: newHost() })).rejects.toMatchObject({ field: 'token' });
  });

  it('does not listen on when its sessions cannot be started', async () => {
    const sessions = newHost();
    await sessions.close();

    await expect(serve({ port: 0, token: 't', sessions, logLevel: 'fatal' })).rejects.toMatchObject({
      code: 'SERVER_CLOSED',
    });
    await expect(createServer({ token: 't', sessions })).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
  });

  it('goes on with what was running, when it is started again', async () => {
    const store = memoryStore();
    const begun = Promise.withResolvers<void>();
    const hold = toolNamed(
      'hold',
      (_, { signal }) => {
        begun.resolve();
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
      { effect: 'pure' },
    );
    const quick = toolNamed('hold', async () => 'held', { effect: 'pure' });
    const script: Parameters<typeof scripted>[0] = ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ name: 'hold' }] };
    const first = await hosted({ store, profiles: { chat: profileOf(script, { tools: [hold] }) } });
    const path = await first.made({ message: 'Hold.' });
    await begun.promise;
    await first.server.close();
    const left = (await store.list()).sessions[0]?.state;
    await using next = await hosted({ store, profiles: { chat: profileOf(script, { tools: [quick] }) } });

    expect(left).toBe('interrupted');
    expect((await resultOf(next, path)).event).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect((await eventsUntil(next, path, 'result')).filter(({ event }) => event.type === 'run_resumed')).toHaveLength(
      1,
    );
  });
});
