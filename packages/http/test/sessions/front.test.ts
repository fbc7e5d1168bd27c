import { localEngine, memoryStore } from '@x/session';
import { pgBossEngine } from '@x/session/pg-boss';
import { describe, expect, it } from 'vitest';
import { type ClientSession, createClient } from '../../src/client/index.ts';
import { serve } from '../../src/index.ts';
import { type SessionHostOptions, sessionHost } from '../../src/sessions/index.ts';
import { profileOf, type scripted, TOKENS, toolNamed } from '../support/hosted.ts';

const DAY_MS = 86_400_000;

const paying: Parameters<typeof scripted>[0] = ({ messages }) =>
  messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ name: 'pay', input: {} }] };

/** A front of sessions in memory, a client of it, and the options that its workers share. */
async function fronted(options: Partial<SessionHostOptions> = {}) {
  const shared = { store: memoryStore(), profiles: { chat: profileOf() }, ...options };
  const sessions = sessionHost({ ...shared, runs: false });
  const server = await serve({ port: 0, logLevel: 'fatal', tokens: TOKENS, sessions });
  const client = createClient({ baseUrl: server.url, token: 'token-of-ann' });
  return { shared, server, client };
}

/** Follows through the front up to an event of this type. */
async function eventOf(session: ClientSession, type: string) {
  for await (const { event } of session.events()) if (event.type === type) return event;
  throw new Error(`The events have ended before ${type}`);
}

describe('a host that runs nothing', () => {
  it('stores what is sent until a worker comes, and tells its events', async () => {
    const { shared, server, client } = await fronted();
    const session = await client.sessions.create({ message: 'Hello.' });
    const told = eventOf(session, 'result');
    const { queued } = await session.get();
    const worker = sessionHost({ ...shared, lookEveryMs: 20 });
    await worker.start();
    const event = await told;
    await worker.close();
    await server.close();

    expect(queued).toBe(1);
    expect(event).toMatchObject({ subtype: 'success', content: 'Answer 1.' });
  });

  it('asks the engine that it is given, and leaves it open', async () => {
    const engine = localEngine();
    const { shared, server, client } = await fronted({ engine });
    const worker = sessionHost({ ...shared, lookEveryMs: DAY_MS });
    await worker.start();
    const session = await client.sessions.create({ message: 'Hello.' });
    const event = await eventOf(session, 'result');
    await server.close();
    await engine.submit('s'); // it is not closed
    await worker.close();
    await engine[Symbol.asyncDispose]();

    expect(event).toMatchObject({ subtype: 'success' });
  });

  it('takes answers, after which a worker goes on, and ends a run that a worker has left', async () => {
    const pay = toolNamed('pay', async () => 'paid', { kind: 'execute' });
    const chat = profileOf(paying, { tools: [pay], alwaysAsk: ['pay'], askPolicy: 'wait' });
    const engine = localEngine();
    const { shared, server, client } = await fronted({ engine, profiles: { chat } });
    const worker = sessionHost({ ...shared, lookEveryMs: DAY_MS });
    await worker.start();
    const [answered, ended] = [
      await client.sessions.create({ message: 'Pay.' }),
      await client.sessions.create({ message: 'Pay.' }),
    ];
    await eventOf(answered, 'run_waiting');
    await eventOf(ended, 'run_waiting');
    const [question] = await answered.questions();
    await answered.answer(question!.callId, { behavior: 'allow', key: question!.key });
    const aborted = await ended.abort();
    const events = [await eventOf(answered, 'result'), await eventOf(ended, 'result')];
    await worker.close();
    await server.close();
    await engine[Symbol.asyncDispose]();

    expect(aborted).toEqual({ aborted: true });
    expect(events).toMatchObject([{ subtype: 'success' }, { subtype: 'aborted' }]);
  });

  it('ends a run that a worker is at', async () => {
    const hold = toolNamed(
      'pay',
      (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
    );
    const { shared, server, client } = await fronted({ profiles: { chat: profileOf(paying, { tools: [hold] }) } });
    const worker = sessionHost({ ...shared, lookEveryMs: 20, onError: () => undefined });
    await worker.start();
    const session = await client.sessions.create({ message: 'Pay.' });
    await eventOf(session, 'tool_started');
    const aborted = await session.abort();
    const event = await eventOf(session, 'result');
    await worker.close();
    await server.close();

    expect(aborted).toEqual({ aborted: true });
    expect(event).toMatchObject({ subtype: 'aborted' });
  });

  it('has stored a message for which it cannot ask, and says so', async () => {
    const { shared, client, server } = await fronted();
    const session = await client.sessions.create();
    const engine = pgBossEngine({ connectionString: 'postgres://127.0.0.1:1/none' });
    const sessions = sessionHost({ ...shared, engine, runs: false });
    const without = await serve({ port: 0, logLevel: 'fatal', tokens: TOKENS, sessions });
    const away = createClient({ baseUrl: without.url, token: 'token-of-ann' }).sessions.open(session.sessionId);
    const refused = await away.send('Hello.').catch((error: unknown) => error);
    const { queued } = await session.get();
    await without.close();
    await engine[Symbol.asyncDispose]();
    await server.close();

    expect(refused).toMatchObject({ statusCode: 503, code: 'ENGINE_FAILED' });
    expect(queued).toBe(1);
  });

  it('is ready, and does not start without its store', async () => {
    const sound = memoryStore();
    let isDown = true;
    const list: typeof sound.list = async (query) => {
      if (isDown) throw new Error('down');
      return await sound.list(query);
    };
    const host = sessionHost({ store: { ...sound, list }, profiles: { chat: profileOf() }, runs: false });
    await expect(host.start()).rejects.toThrow('down');
    isDown = false;
    await host.start();
    await host.close();
    const { server } = await fronted();
    const { status } = await fetch(`${server.url}/ready`);
    await server.close();

    expect(status).toBe(200);
  });

  it.each([
    ['lookEveryMs', { lookEveryMs: 5 }],
    ['drainMs', { drainMs: 5 }],
    ['onError', { onError: () => undefined }],
  ])('has no use for %s, and says so', (name, option) => {
    const make = () => sessionHost({ store: memoryStore(), profiles: { chat: profileOf() }, runs: false, ...option });

    expect(make).toThrow(`${name} goes with a host that runs sessions, not with runs: false`);
  });
});
