import { type SessionEvent, type SessionStore, watchSession } from '@x/session';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORDS } from '../../verify/support/killed-client.ts';
import { type ClientHost, clientHost, refusal } from '../support/client-host.ts';
import { type CuttingProxy, cuttingProxy } from '../support/cutting-proxy.ts';
import { until } from '../support/followed.ts';
import { profileOf, type scripted, toolNamed } from '../support/hosted.ts';

const note = toolNamed('note', async () => 'noted é\u{1f600}');
const script: Parameters<typeof scripted>[0] = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { text: ['All ', 'is ', 'noted.'] }
    : { text: ['I ', 'note.'], toolCalls: [{ id: `c${messages.length}`, name: 'note', input: {} }] };

let proxy: CuttingProxy;
let host: ClientHost;
beforeAll(async () => {
  proxy = await cuttingProxy();
  host = await clientHost(
    { profiles: { chat: profileOf(script, { tools: [note] }) } },
    { allowedHosts: ['127.0.0.1'] }, // on any port
  );
  proxy.target = host.server.port;
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

const recordsIn = (events: readonly SessionEvent[]) =>
  events
    .filter(({ event }) => RECORDS.includes(event.type))
    .map(({ cursor, agentPath, event }) => ({ cursor, agentPath, event }));
/** Over the proxy, whose address each client takes anew: a connection that is kept would not be cut. */
const proxied = () => host.clientWith({ baseUrl: `http://127.0.0.1:${proxy.port}` });

async function upTo(events: AsyncIterable<SessionEvent>, results: number): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  let left = results;
  for await (const event of events) {
    seen.push(event);
    if (event.event.type === 'result' && --left === 0) break;
  }
  return seen;
}
const inProcess = (store: SessionStore, sessionId: string, results: number) =>
  upTo(watchSession({ store, sessionId }), results);

describe('a connection that is cut', () => {
  it('loses no record and doubles none, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6_000 }), { minLength: 1, maxLength: 3 }), async (cuts) => {
        const session = await host.client.sessions.create();
        proxy.cuts = cuts.map((cut, index) => cut + (index === 0 ? 600 : 0)); // a first connection that fails is told
        const reading = upTo(proxied().sessions.open(session.sessionId).events(), 2);
        await session.send('One.');
        await inProcess(host.store, session.sessionId, 1);
        await session.send('Two.');
        const told = await reading;
        proxy.cuts = [];

        expect(recordsIn(told)).toEqual(recordsIn(await inProcess(host.store, session.sessionId, 2)));
      }),
      { numRuns: 20, endOnFailure: true },
    );
  }, 60_000);
});

describe('a message that is sent over a cut connection', () => {
  it('is stored once', async () => {
    const session = await host.client.sessions.create();
    const keys: (string | null)[] = [];
    const fetch = async (url: string | URL | Request, init?: RequestInit) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      return await globalThis.fetch(url, init);
    };
    await using own = await cuttingProxy(); // nobody has kept a connection to it
    own.target = host.server.port;
    own.cuts = [1, 30, 200]; // the server has stored it each time
    const client = host.clientWith({ baseUrl: `http://127.0.0.1:${own.port}`, fetch });

    const sent = await client.sessions.open(session.sessionId).send('One.');
    await inProcess(host.store, session.sessionId, 1);

    expect(sent.status).toBe('duplicate');
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    const { messages } = await session.messages();
    expect(messages.filter(({ role }) => role === 'user').map(({ id }) => id)).toEqual([sent.messageId]);
  });

  it('control: is stored twice under two keys', async () => {
    const session = await host.client.sessions.create();
    await session.send('One.');
    await inProcess(host.store, session.sessionId, 1);
    await session.send('One.');
    await inProcess(host.store, session.sessionId, 2);
    const { messages } = await session.messages();

    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('ends when the server stays away', async () => {
    const gone = host.clientWith({ fetch: () => Promise.reject(new TypeError('gone')) });

    expect(await refusal(gone.sessions.open('s').send('One.'))).toMatchObject({ code: 'CONNECTION_FAILED' });
    const leaving = AbortSignal.abort();
    expect(await refusal(gone.sessions.open('s').send('One.', { signal: leaving }))).toMatchObject({ code: 'ABORTED' });
  });
});

describe('a reader that leaves', () => {
  const leaves: [string, (read: ReturnType<typeof reader>) => Promise<void>][] = [
    [
      'with break, events',
      async ({ session }) => {
        for await (const _ of session.events()) break;
      },
    ],
    [
      'with break, stream',
      async ({ session }) => {
        for await (const _ of session.stream()) break;
      },
    ],
    [
      'with return while it waits',
      async ({ session }) => {
        const events = session.events();
        const waiting = Array.fromAsync(events);
        await until(async () => proxy.open.size > 0);
        await events.return();
        await waiting;
      },
    ],
    [
      'with its signal',
      async ({ session }) => {
        const leaving = new AbortController();
        const waiting = Array.fromAsync(session.events({ signal: leaving.signal }));
        await until(async () => proxy.open.size > 0);
        leaving.abort();
        await waiting;
      },
    ],
    [
      'with the signal of the client',
      async ({ session, client }) => {
        const waiting = refusal(Array.fromAsync(session.stream({ messageId: 'none' })));
        await until(async () => proxy.open.size > 0);
        client.abort();
        expect(await waiting).toMatchObject({ code: 'ABORTED' });
      },
    ],
  ];
  function reader(sessionId: string) {
    const client = new AbortController();
    const baseUrl = `http://127.0.0.1:${proxy.port}`;
    return { client, session: host.clientWith({ baseUrl, signal: client.signal }).sessions.open(sessionId) };
  }

  it.each(leaves)('leaves no connection open: %s', async (_, leave) => {
    const { sessionId } = await host.client.sessions.create({ message: 'One.' });
    await until(async () => proxy.open.size === 0);

    await leave(reader(sessionId));

    await until(async () => proxy.open.size === 0);
    expect(proxy.open.size).toBe(0);
  });

  it('control: one that stays has its connection', async () => {
    const { sessionId } = await host.client.sessions.create({ message: 'One.' });
    const { session, client } = reader(sessionId);
    const events = session.events();
    await events.next();

    expect(proxy.open.size).toBe(1);
    client.abort();
    await events.return();
  });
});

describe('a server that says when to come again', () => {
  it('is asked again then, behind the last event', async () => {
    const frame = (id: number) =>
      `retry: 1\nid: ${id}\ndata: ${JSON.stringify({ cursor: `${id}`, agentPath: [], event: { type: 'checkpoint' } })}\n\n`;
    const asked: (string | null)[] = [];
    const fetch = async (_: string | URL | Request, init?: RequestInit) => {
      asked.push(new Headers(init?.headers).get('last-event-id'));
      if (asked.length === 3) return new Response('<html>', { status: 503 });
      if (asked.length === 5) return Response.json({ success: false, error: 'no', code: 'GONE' }, { status: 410 });
      return new Response(frame(asked.length), { headers: { 'content-type': 'text/event-stream' } });
    };
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { cursor } of host.clientWith({ fetch }).sessions.open('s').events({ from: '0' }))
        seen.push(cursor);
    })();

    expect(await refusal(reading)).toMatchObject({ code: 'GONE', statusCode: 410 });
    expect(asked).toEqual(['0', '1', '2', '2', '4']);
    expect(seen).toEqual(['1', '2', '4']);
  });
});
