import { describe, expect, it } from 'vitest';
import { clientHost, refusal } from '../support/client-host.ts';
import { until } from '../support/followed.ts';
import { profileOf, type scripted, toolNamed } from '../support/hosted.ts';

const pay = toolNamed('pay', async () => 'paid', { kind: 'execute' });
const paying: Parameters<typeof scripted>[0] = ({ messages }) =>
  messages.at(-1)?.role === 'tool' ? { text: 'Paid.' } : { toolCalls: [{ id: 'c', name: 'pay', input: {} }] };
const asking = profileOf(paying, { tools: [pay], alwaysAsk: ['pay'], askPolicy: 'wait' });

describe('sessions', () => {
  it('makes, lists and looks at one', async () => {
    await using host = await clientHost();
    const { sessionId } = await host.client.sessions.create({ title: 'Lamps', metadata: { a: 'b' } });
    const session = host.client.sessions.open(sessionId);

    expect(await session.get()).toMatchObject({
      sessionId,
      profile: 'chat',
      state: 'idle',
      title: 'Lamps',
      metadata: { a: 'b' },
    });
    expect(await host.client.sessions.list({ state: 'idle', limit: 5 })).toMatchObject({ sessions: [{ sessionId }] });
    expect(await host.clientWith({ token: 'token-of-ben' }).sessions.list()).toEqual({ sessions: [] });
  });

  it('streams one run after the other, and reads messages and usage', async () => {
    await using host = await clientHost();
    const session = await host.client.sessions.create({ message: 'One.' });
    const first = await Array.fromAsync(session.stream());
    await session.send('Two.');
    const second = await Array.fromAsync(session.stream());
    const all = await session.messages({ limit: 3 });

    expect(first.at(-1)).toMatchObject({ type: 'result', content: 'Answer 1.' });
    expect(second.at(-1)).toMatchObject({ type: 'result', content: 'Answer 3.' });
    expect(all).toMatchObject({
      messages: [{ role: 'assistant' }, { role: 'user' }, { role: 'assistant' }],
      hasMore: true,
    });
    expect(await session.messages({ before: all.messages[0]!.id })).toMatchObject({
      messages: [{ role: 'user' }],
      hasMore: false,
    });
    expect(await session.usage()).toMatchObject({ entries: [{}, {}], total: { calls: 2 } });
  });

  it('ends a stream that waits with its questions, and goes on when they are answered', async () => {
    await using host = await clientHost({ profiles: { chat: asking } });
    const session = await host.client.sessions.create();
    await session.send('Pay.');
    const waiting = (await Array.fromAsync(session.stream())).at(-1);
    const [question] = await session.questions();
    await session.answer('c', { behavior: 'allow', key: question!.key });
    const rest = await Array.fromAsync(session.stream());

    expect(waiting).toMatchObject({
      type: 'result',
      subtype: 'waiting',
      questions: [{ callId: 'c', toolName: 'pay' }],
    });
    expect(rest.map(({ type }) => type)).toEqual(expect.arrayContaining(['tool_result', 'content', 'result']));
    expect(rest.at(-1)).toMatchObject({ subtype: 'success', content: 'Paid.' });
    expect(await refusal(session.answer('c', { behavior: 'allow' }))).toMatchObject({ statusCode: 409 });
  });

  it('streams a failed run with its error, as in process', async () => {
    const failing: Parameters<typeof scripted>[0] = () => {
      throw new Error('no model');
    };
    await using host = await clientHost({ profiles: { chat: profileOf(failing) } });
    const session = await host.client.sessions.create({ message: 'One.' });
    const told = await Array.fromAsync(session.stream());

    expect(told.slice(-2)).toMatchObject([
      { type: 'error', message: expect.any(String), code: expect.any(String) },
      { type: 'result', subtype: 'error' },
    ]);
  });

  it('aborts, forks, rewinds, closes and deletes', async () => {
    await using host = await clientHost({
      profiles: {
        chat: profileOf(({ messages }) => (messages.length > 1 ? { text: ['On'], hangs: true } : { text: 'Hi.' })),
      },
    });
    const session = await host.client.sessions.create();
    const { messageId } = await session.send('One.');
    await Array.fromAsync(session.stream());
    const fork = await session.fork({ title: 'Other' });
    await session.send('Two.');
    const hanging = session.stream();
    for await (const message of hanging) if (message.type === 'user_message') break; // the run goes on
    const aborted = await session.abort();
    const end = (await Array.fromAsync(session.stream())).at(-1);
    await session.close();

    expect(aborted).toEqual({ aborted: true });
    expect(end).toMatchObject({ type: 'result', subtype: 'aborted' });
    expect(await fork.get()).toMatchObject({ title: 'Other', forkedFrom: session.sessionId });
    expect(await session.rewind({ messageId, files: false })).toMatchObject({ success: true });
    expect((await session.messages()).messages).toEqual([]);
    await until(async () => (await session.get()).state === 'idle');
    await session.delete();
    expect(await refusal(session.get())).toMatchObject({ code: 'SESSION_NOT_FOUND', statusCode: 404 });
  });

  it('sends once under a key, and refuses another text', async () => {
    await using host = await clientHost();
    const session = await host.client.sessions.create();
    const one = await session.send('One.', { idempotencyKey: 'k', maxTurns: 3, priority: 'next' });

    expect(await session.send('One.', { idempotencyKey: 'k' })).toEqual({
      status: 'duplicate',
      messageId: one.messageId,
    });
    expect(await refusal(session.send('Two.', { idempotencyKey: 'k' }))).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      statusCode: 409,
    });
  });
});

describe('readers that are refused', () => {
  it.each([
    ['an unknown session', 'nope', {}, 'SESSION_NOT_FOUND'],
    ['a cursor that is wrong', '', { from: 'nope' }, 'INVALID_CURSOR'],
  ])('end with the error of the server: %s', async (_, id, options, code) => {
    await using host = await clientHost();
    const { sessionId } = await host.client.sessions.create();
    const session = host.client.sessions.open(id || sessionId);

    expect(await refusal(Array.fromAsync(session.events(options)))).toMatchObject({ code });
    expect(await refusal(Array.fromAsync(session.stream(options)))).toMatchObject({ code });
  });

  it('end when the session is deleted', async () => {
    await using host = await clientHost();
    const session = await host.client.sessions.create();
    const reading = refusal(Array.fromAsync(session.events()));
    await session.delete();

    expect(await reading).toMatchObject({ code: 'SESSION_NOT_FOUND', statusCode: 404 });
  });

  it('end at once when the server was never reached, or is another', async () => {
    await using host = await clientHost();
    const html = host.clientWith({ fetch: async () => new Response('<html>') });
    await host.server.close();

    expect(await refusal(Array.fromAsync(host.client.sessions.open('s').events()))).toMatchObject({
      code: 'CONNECTION_FAILED',
    });
    expect(await refusal(Array.fromAsync(html.sessions.open('s').events()))).toMatchObject({ code: 'INVALID_ANSWER' });
  });
});
