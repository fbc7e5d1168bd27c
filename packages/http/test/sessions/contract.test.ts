import { AgentError } from '@x/core';
import { memoryStore, type SessionStore } from '@x/session';
import { describe, expect, it } from 'vitest';
import { createApp, createServer, type InjectedAnswer, type InjectedRequest } from '../../src/index.ts';
import { sessionHost } from '../../src/sessions/index.ts';
import { Contract, documentOf } from '../support/contract.ts';
import { eventsUntil, resultOf } from '../support/followed.ts';
import { ANN, hosted, profileOf, type scripted, TOKENS, toolNamed } from '../support/hosted.ts';
import { routesOfOne } from '../support/session-requests.ts';

const script: Parameters<typeof scripted>[0] = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: 'Done.' };
  if (JSON.stringify(last?.content).includes('Hang')) return { text: ['On', 'ce'], hangs: true };
  return JSON.stringify(last?.content).includes('Pay')
    ? { toolCalls: [{ id: 'c', name: 'pay', input: {} }] }
    : { text: 'Hello you.' };
};
const pay = toolNamed('pay', async () => 'paid', { kind: 'execute' });
const asking = { tools: [pay], alwaysAsk: ['pay'], askPolicy: 'wait' as const };
const profiles = {
  chat: profileOf(script, asking),
  brief: profileOf(script, { ...asking, questionTtlMs: 1 }),
  broken: () => {
    throw new Error('no such database');
  },
};
const evil = { host: 'evil.example' };
const large = { 'content-length': '9999999' };
const approval = { state: 'approval-responded', approval: { id: 'c', approved: true } };
/** Answers to a question, over each route that takes them. */
const answering: readonly (readonly [path: string, body: object])[] = [
  ['/answers', { callId: 'c', answer: { behavior: 'allow' } }],
  ['/ui', { messages: [{ role: 'assistant', parts: [approval] }] }],
  ['/ag-ui', { messages: [], resume: [{ interruptId: 'c', status: 'cancelled' }] }],
];

/** An app and what is documented about it; streams are read until they have said something, or nothing. */
async function judged(store: SessionStore = memoryStore(), more = {}) {
  const sessions = sessionHost({ profiles, store, lookEveryMs: 20 });
  const options = { tokens: TOKENS, sessions, ...more };
  const app = createApp(options);
  const contract = new Contract(
    await documentOf(
      await createServer({ ...options, sessions: sessionHost({ profiles, store: memoryStore() }) }),
      ANN,
    ),
  );
  const faults: string[] = [];
  const ask = async (method: string, url: string, body?: unknown, headers = {}): Promise<InjectedAnswer> => {
    const request: InjectedRequest = { method, url, headers: { ...ANN, ...headers } };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await app.request(url, {
      method,
      headers: { ...type, ...request.headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const isStream = answer.headers.get('content-type') === 'text/event-stream';
    if (isStream) await answer.body?.cancel();
    const text = isStream ? '' : await answer.text();
    const injected = {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: text,
      json: () => JSON.parse(text),
    };
    faults.push(...contract.faults(method, url, injected));
    return injected;
  };
  const made = async (body: object = {}) =>
    `/v1/sessions/${(await ask('POST', '/v1/sessions', { profile: 'chat', ...body })).json().sessionId}`;
  return { ask, made, contract, faults, store };
}
const ofSessions = (one: string) => one.includes('/v1/sessions');

describe('the contract of sessions', () => {
  it('H38 holds for every answer, and every documented answer is reached', async () => {
    const { ask, made, contract, faults, store } = await judged();
    const own = await made();
    const all = [
      ['POST', '', {}],
      ['GET', ''],
    ] as const;
    const everywhere = [
      ...all.map(([method, , body]) => [method, '/v1/sessions', body] as const),
      ...routesOfOne.map(([method, path, body]) => [method, own + path, body] as const),
    ];
    for (const [method, url, body] of everywhere) {
      await ask(method, url, body, { authorization: 'Bearer wrong' });
      await ask(method, url, body, evil);
      await ask(method, url, body, large);
      if (body) await ask(method, url, body, { 'content-type': 'text/plain' });
    }
    for (const [method, path, body] of routesOfOne) {
      await ask(method, `/v1/sessions/a.b${path}`, body);
      await ask(method, `/v1/sessions/nobody${path}`, body);
    }
    // What the guards let through is asked before anything runs, then of a session that waits, and of one that runs.
    await ask('GET', '/v1/sessions');
    await ask('GET', '/v1/sessions?limit=0');
    await ask('POST', '/v1/sessions', { cwd: '/' });
    await ask('POST', '/v1/sessions', { profile: 'chat' }, { 'idempotency-key': 'k' });
    await ask('POST', '/v1/sessions', { profile: 'brief' }, { 'idempotency-key': 'k' });
    for (const [path, body] of answering) await ask('POST', own + path, body);
    await ask('GET', `${own}/ui`);
    await ask('POST', `${own}/messages`, { text: 'One.' }, { 'idempotency-key': 'k' });
    await ask('POST', `${own}/messages`, { text: 'Two.' }, { 'idempotency-key': 'k' });
    for (const path of ['', '/messages', '/events', '/usage', '/questions', '/ui', '/ag-ui'])
      await ask('GET', own + path);
    await expired({ ask, made, store });
    const host = sessionHost({ profiles, store, lookEveryMs: 20 });
    await host.start();
    await resultOf({ store }, own);
    const hanging = await made({ message: 'Hang.' });
    await eventsUntil({ store }, hanging, 'user_message');
    await ask('DELETE', hanging);
    await ask('POST', `${hanging}/rewind`, { messageId: 'm' });
    await ask('POST', `${hanging}/abort`);
    await resultOf({ store }, hanging);
    const { messages } = (await ask('GET', `${own}/messages`)).json();
    await host.close();
    await ask('POST', `${own}/fork`, {});
    await ask('POST', `${own}/rewind`, { messageId: messages[0].id, dryRun: true });
    await ask('POST', `${own}/ui`, { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }] });
    await ask('POST', `${own}/ag-ui`, { messages: [{ role: 'user', content: 'Hello.' }] });
    const waiting = await waitingSession({ made, store });
    await ask('POST', `${waiting}/answers`, answering[0]![1]);
    await ask('POST', `${own}/close`);
    await ask('DELETE', own);
    const documented = contract.documented().filter((one) => ofSessions(one) && !/ (429|500|503)$/.test(one));

    expect(faults).toEqual([]);
    expect(documented.filter((one) => !contract.reached.has(one))).toEqual([]);
  });

  it.each([
    [/ (429|500)$/, new Error('disk is full')],
    [/ 503$/, new AgentError('The database is gone', { code: 'STORE_FAILED', statusCode: 503 })],
  ])('H38 holds for %s on every route', async (statuses, error) => {
    const broken = new Proxy(memoryStore(), {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return async () => {
          throw error;
        };
      },
    });
    const { ask, contract, faults } = await judged(broken, { rateLimit: { max: 18, timeWindow: 60_000 } });
    const each = [
      ['POST', '/v1/sessions', { profile: 'chat' }],
      ['GET', '/v1/sessions'],
      ...routesOfOne.map(([method, path, body]) => [method, `/v1/sessions/s${path}`, body]),
    ] as [string, string, object?][];
    for (const one of [...each, ...each]) await ask(...one);
    const documented = contract.documented().filter((one) => ofSessions(one) && statuses.test(one));

    expect(faults).toEqual([]);
    expect(documented.filter((one) => !contract.reached.has(one))).toEqual([]);
  });

  it('is that of a server without sessions when there are none', async () => {
    const document = await documentOf(await createServer({ tokens: TOKENS }), ANN);
    await using host = await hosted();
    const withSessions = await documentOf(host.server, ANN);

    expect(Object.keys(document.paths).filter(ofSessions)).toEqual([]);
    expect(document.components.schemas).not.toHaveProperty('Session');
    expect(Object.keys(withSessions.paths).filter(ofSessions)).toHaveLength(13);
  });
});

interface Judged extends Pick<Awaited<ReturnType<typeof judged>>, 'made' | 'store'> {}

/** A session with an open question, which nobody runs any more. */
async function waitingSession({ made, store }: Judged, profile = 'chat'): Promise<string> {
  const host = sessionHost({ profiles, store, lookEveryMs: 20 });
  await host.start();
  const path = await made({ profile, message: 'Pay.' });
  await eventsUntil({ store }, path, 'run_waiting');
  await host.close();
  return path;
}

/** Each way of answering a question that has expired. */
async function expired(of: Judged & Pick<Awaited<ReturnType<typeof judged>>, 'ask'>): Promise<void> {
  for (const [path, body] of answering) {
    const session = await waitingSession(of, 'brief');
    await new Promise((resolve) => setTimeout(resolve, 5)); // it expires after one millisecond
    await of.ask('POST', session + path, body);
  }
}
