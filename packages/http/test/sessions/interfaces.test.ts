import { HttpAgent } from '@ag-ui/client';
import { memoryStore, type SessionStore } from '@x/session';
import { DefaultChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, serve } from '../../src/index.ts';
import { sessionHost } from '../../src/sessions/index.ts';
import { eventsUntil, resultOf } from '../support/followed.ts';
import { ANN, hosted, profileOf, type scripted, TOKENS, toolNamed } from '../support/hosted.ts';

const JSON_OF_ANN = { ...ANN, 'content-type': 'application/json' };
const servers: RunningServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const script: Parameters<typeof scripted>[0] = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: 'Done.' };
  const isPaid = JSON.stringify(last?.content).includes('Pay');
  return isPaid ? { toolCalls: [{ id: 'c', name: 'pay', input: {} }] } : { text: 'Hello you.' };
};

/** A server, and the path of a session whose agent asks before it pays. */
async function chatting(store: SessionStore = memoryStore()) {
  const pay = toolNamed('pay', async () => 'paid', { kind: 'execute' });
  const chat = profileOf(script, { tools: [pay], alwaysAsk: ['pay'], askPolicy: 'wait' });
  const sessions = sessionHost({ profiles: { chat }, store, lookEveryMs: 20 });
  const server = await serve({ port: 0, logLevel: 'fatal', tokens: TOKENS, sessions, closeTimeout: 500 });
  servers.push(server);
  const made = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers: JSON_OF_ANN, body: '{}' });
  const { sessionId } = (await made.json()) as { sessionId: string };
  return { store, path: `/v1/sessions/${sessionId}`, url: `${server.url}/v1/sessions/${sessionId}` };
}

const user = (text: string): UIMessage => ({ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] });
const typesOf = (chunks: readonly { type: string }[]) => chunks.map(({ type }) => type);

describe('the UI message stream of the AI SDK', () => {
  async function transported() {
    const chat = await chatting();
    const api = `${chat.url}/ui`;
    const transport = new DefaultChatTransport({
      api,
      headers: ANN,
      prepareSendMessagesRequest: ({ messages, trigger }) => ({ body: { messages: messages.slice(-1), trigger } }),
      prepareReconnectToStreamRequest: () => ({ api }),
    });
    const sent = async (...messages: UIMessage[]) => {
      const stream = await transport.sendMessages({
        chatId: 'c',
        messages,
        trigger: 'submit-message',
        messageId: undefined,
        abortSignal: undefined,
      });
      return await Array.fromAsync(stream as ReadableStream<UIMessageChunk>);
    };
    const regenerated = (...messages: UIMessage[]) =>
      transport.sendMessages({
        chatId: 'c',
        messages,
        trigger: 'regenerate-message',
        messageId: undefined,
        abortSignal: undefined,
      });
    return { ...chat, transport, sent, regenerated };
  }

  it('is read by its own transport: a message, its run, its end', async () => {
    const { sent } = await transported();
    const chunks = await sent(user('Hello.'));

    expect(typesOf(chunks)).toEqual(
      expect.arrayContaining(['start', 'text-start', 'text-delta', 'text-end', 'finish']),
    );
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  it('asks, takes the approval, and goes on behind what the page has', async () => {
    const { sent, transport } = await transported();
    const asked = await sent(user('Pay.'));
    const { messageMetadata } = asked.at(-1) as { messageMetadata: unknown };
    const again = await transport.reconnectToStream({ chatId: 'c' });
    await again?.cancel();
    const part = { type: 'dynamic-tool', toolName: 'pay', toolCallId: 'c', state: 'approval-responded', input: {} };
    const parts = [{ ...part, approval: { id: 'c', approved: true } }] as UIMessage['parts'];
    const rest = await sent({ id: 'm', role: 'assistant', parts, metadata: messageMetadata });

    expect(typesOf(asked)).toContain('tool-approval-request');
    expect(again).not.toBeNull();
    expect(rest.filter(({ type }) => type === 'text-delta')).toEqual([expect.objectContaining({ delta: 'Done.' })]);
  });

  it('asks nothing a second time: what to do instead of a regeneration is said', async () => {
    const { sent, regenerated, url } = await transported();
    const question = user('Hello.');
    await sent(question);

    await expect(regenerated(question)).rejects.toThrow('rewind the session to before the message');
    const { messages } = (await (await fetch(`${url}/messages`, { headers: ANN })).json()) as { messages: unknown[] };
    expect(messages).toHaveLength(2);
  });

  it('is nothing when nothing is under way', async () => {
    const { transport, sent } = await transported();
    await sent(user('Hello.'));

    expect(await transport.reconnectToStream({ chatId: 'c' })).toBeNull();
    const answered: UIMessage = { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'Hello you.' }] };
    await expect(sent(answered)).rejects.toThrow("Nothing is under way: the last message must be the user's");
  });

  it('is that of a run which begins while it is looked', async () => {
    const store = memoryStore();
    const chat = await chatting(store);
    const { inbox } = store;
    store.inbox = async (sessionId) => {
      store.inbox = inbox; // the session was found idle, and now a run begins and waits
      await fetch(`${chat.url}/messages`, { method: 'POST', headers: JSON_OF_ANN, body: '{"text":"Pay."}' });
      await eventsUntil({ store }, chat.path, 'run_waiting');
      return await inbox(sessionId);
    };

    expect((await fetch(`${chat.url}/ui`, { headers: ANN })).status).toBe(200);
  });

  it.each([
    [{ messages: [] }],
    [{ messages: [{ role: 'user', parts: [{ type: 'file' }] }] }],
    [{ messages: [{ role: 'user' }] }],
    [{ messages: [{ role: 'user', parts: [{ type: 'text', text: 7 }] }] }],
    [{ messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'Nobody would go on.' }] }] }],
    [{}],
  ])('refuses %j', async (body) => {
    await using host = await hosted();
    const path = await host.made();
    const answer = await host.ask('POST', `${path}/ui`, body);

    expect([answer.statusCode, answer.json().code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('refuses a cursor of another log, and an answer to no question', async () => {
    await using host = await hosted();
    const path = await host.made();
    const cursor = { messages: [{ role: 'assistant', parts: [], metadata: { cursor: '1.00000000' } }] };
    const part = { state: 'approval-responded', approval: { id: 'c', approved: false, reason: 'no' } };

    expect((await host.ask('POST', `${path}/ui`, cursor)).json().code).toBe('INVALID_CURSOR');
    const answer = await host.ask('POST', `${path}/ui`, { messages: [{ role: 'assistant', parts: [part] }] });
    expect(answer.json().code).toBe('QUESTION_NOT_OPEN');
  });
});

describe('AG-UI', () => {
  async function agent() {
    const chat = await chatting();
    const headers: Record<string, string> = { ...ANN };
    const client = new HttpAgent({ url: `${chat.url}/ag-ui`, headers });
    const said = async (text: string) => {
      client.addMessage({ id: crypto.randomUUID(), role: 'user', content: text });
      return await ran();
    };
    const ran = async (resume?: readonly { interruptId: string; status: 'resolved'; payload: unknown }[]) => {
      const types: string[] = [];
      const onEvent = ({ event }: { event: { type: string } }) => void types.push(event.type);
      await client.runAgent(resume ? { resume: [...resume] } : {}, { onEvent });
      return types;
    };
    return { ...chat, client, said, ran, headers };
  }

  it('is read by its own client: a message, its run, its end', async () => {
    const { said, client } = await agent();
    const types = await said('Hello.');

    expect([types[0], types.at(-1)]).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect(client.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello you.' });
  });

  it('interrupts, takes the answer, and goes on', async () => {
    const { said, ran, store, path, headers } = await agent();
    const asked = await said('Pay.');
    headers['last-event-id'] = (await eventsUntil({ store }, path, 'run_waiting')).at(-1)!.cursor;
    await ran([{ interruptId: 'c', status: 'resolved', payload: { approved: true } }]);

    expect(asked.at(-1)).toBe('RUN_FINISHED');
    expect((await resultOf({ store }, path)).event).toMatchObject({ subtype: 'success', content: 'Done.' });
  });

  it('shows the last run after what was said before it, to a page that is loaded again', async () => {
    const { said, url } = await agent();
    await said('Hello.');
    const answer = await fetch(`${url}/ag-ui`, { headers: ANN });
    const lines = (await answer.text()).split('\n\n').filter(Boolean);
    const types = lines.map((line) => (JSON.parse(line.slice(6)) as { type: string }).type);

    expect(types).toEqual(expect.arrayContaining(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']));
  });

  it('takes texts in parts, and shows the last run when nothing new is said', async () => {
    const { url, said } = await agent();
    await said('Hello.');
    const post = async (body: object) =>
      await fetch(`${url}/ag-ui`, { method: 'POST', headers: JSON_OF_ANN, body: JSON.stringify(body) });

    const parts = await post({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Again.' }] }] });
    const shown = await post({ messages: [{ role: 'assistant', content: 'x' }] });
    const empty = await post({ messages: [{ role: 'user', content: { text: 'x' } }] });

    expect(await parts.text()).toContain('Hello you.');
    expect(await shown.text()).toContain('MESSAGES_SNAPSHOT');
    expect(empty.status).toBe(400);
  });

  it('says so when there is nothing to show, instead of waiting for somebody', async () => {
    await using host = await hosted();
    const body = { messages: [{ id: 'a', role: 'assistant', content: 'x' }] };
    const answer = await host.ask('POST', `${await host.made()}/ag-ui`, body);

    expect([answer.statusCode, answer.json().error]).toEqual([400, expect.stringContaining('Nothing is under way')]);
  });
});
