import { deleteSession, memoryStore, type SessionStore } from '@x/session';
import { describe, expect, it } from 'vitest';
import { eventsUntil, resultOf } from '../support/followed.ts';
import { hosted, profileOf, type scripted, toolNamed } from '../support/hosted.ts';

/** 101 characters as JSON Schema counts them, and 202 as a session does. */
const LONG = '😀'.repeat(101);

describe('what a client has asked for', () => {
  it.each([
    ['', { title: LONG }, 'title'],
    ['/fork', { title: LONG }, 'title'],
    ['/fork', { copyCheckpoints: true }, 'copyCheckpoints'],
  ])('is its own fault, not one of the profile: POST %s', async (path, body, field) => {
    await using host = await hosted();
    const answer = await host.ask('POST', path === '' ? '/v1/sessions' : (await host.made()) + path, body);

    expect([answer.statusCode, answer.json().code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.json().error).toContain(field);
  });
});

/** A store from which a session is removed once a page of it was read. */
function losing(inner: SessionStore): { readonly store: SessionStore; lose(sessionId: string): void } {
  let lost: string | undefined;
  const list: SessionStore['list'] = async (query) => {
    const page = await inner.list(query);
    if (lost !== undefined) await deleteSession(lost, { store: inner });
    lost = undefined;
    return page;
  };
  const store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = name === 'list' ? list : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store, lose: (sessionId) => void (lost = sessionId) };
}

describe('GET /v1/sessions', () => {
  it('leaves out a session that is removed while the page is made', async () => {
    const { store, lose } = losing(memoryStore());
    await using host = await hosted({ store, lookEveryMs: 60_000 });
    const [kept, gone] = [await host.made(), await host.made()];
    lose(gone.split('/').at(-1)!);
    const answer = await host.ask('GET', '/v1/sessions');

    expect(answer.statusCode).toBe(200);
    expect(answer.json().sessions).toMatchObject([{ sessionId: kept.split('/').at(-1) }]);
  });
});

const script: Parameters<typeof scripted>[0] = ({ messages }) => {
  const last = messages.at(-1);
  const isPaid = JSON.stringify(last?.content).includes('Pay');
  return isPaid && last?.role === 'user' ? { toolCalls: [{ id: 'c', name: 'pay', input: {} }] } : { text: 'Done.' };
};
const pay = toolNamed('pay', async () => 'paid', { kind: 'execute' });
const chat = profileOf(script, { tools: [pay], alwaysAsk: ['pay'], askPolicy: 'wait' });
const approved = { type: 'tool-pay', state: 'approval-responded', approval: { id: 'c', approved: true } };

describe('a chat', () => {
  it.each<[string, object, Readonly<Record<string, string>>]>([
    ['/ui', { messages: [{ role: 'assistant', metadata: { cursor: 'nope' }, parts: [approved] }] }, {}],
    [
      '/ag-ui',
      { messages: [], resume: [{ interruptId: 'c', status: 'resolved', payload: { approved: true } }] },
      { 'last-event-id': 'nope' },
    ],
  ])('at %s takes no answer from a request that it refuses for its cursor', async (path, body, headers) => {
    await using host = await hosted({ profiles: { chat } });
    const session = await host.made({ message: 'Pay.' });
    await eventsUntil(host, session, 'run_waiting');
    const answer = await host.ask('POST', session + path, body, headers);
    const { questions } = (await host.ask('GET', `${session}/questions`)).json();

    expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_CURSOR']);
    expect(questions).toMatchObject([{ callId: 'c' }]);
  });

  it('over AG-UI stores the message beside a `resume` that has no answers', async () => {
    await using host = await hosted({ profiles: { chat } });
    const session = await host.made();
    const body = { messages: [{ id: 'm', role: 'user', content: 'Hello.' }], resume: [] };
    const streamed = await host.ask('POST', `${session}/ag-ui`, body);
    await resultOf(host, session);

    expect(streamed.body).toContain('RUN_FINISHED');
  });
});
