import type { StreamMessage } from '@x/core';
import { createSession, memoryStore } from '@x/session';
import { describe, expect, it } from 'vitest';
import { clientHost } from '../support/client-host.ts';
import { profileOf, type scripted, toolNamed } from '../support/hosted.ts';

const note = toolNamed('note', async () => 'noted');
const noting: Parameters<typeof scripted>[0] = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { text: ['All ', 'is ', 'noted.'] }
    : { text: ['I ', 'note.'], toolCalls: [{ id: `c${messages.length}`, name: 'note', input: {} }] };
const chat = profileOf(noting, { tools: [note] });

/** Ids and times are of each run. */
function shapeOf(message: StreamMessage): object {
  return JSON.parse(
    JSON.stringify(message, (key, value) => (/^(messageId|sessionId|durationMs)$/.test(key) ? typeof value : value)),
  );
}
const of = (messages: readonly StreamMessage[], ...types: readonly string[]) =>
  messages.filter(({ type }) => types.includes(type)).map(shapeOf);
const textOf = (messages: readonly StreamMessage[]) =>
  messages.map((message) => (message.type === 'content' ? message.delta : '')).join('');

async function inProcess(text: string): Promise<StreamMessage[]> {
  await using session = await createSession({ ...chat, store: memoryStore() });
  await session.send(text);
  return await Array.fromAsync(session.stream());
}

describe('stream', () => {
  it('tells a run as in process, ending with the result', async () => {
    const local = await inProcess('Note.');
    await using host = await clientHost({ profiles: { chat } });
    const session = await host.client.sessions.create();
    const reading = Array.fromAsync(session.stream()); // from the beginning: nothing that is only told live is missed
    await session.send('Note.');
    const told = await reading;

    for (const types of [['user_message', 'tool_use'], ['tool_result'], ['result']]) {
      expect(of(told, ...types)).toEqual(of(local, ...types).map((one) => expect.objectContaining(one)));
    }
    expect(textOf(told)).toBe(textOf(local));
    expect(told.at(-1)?.type).toBe('result');
  });

  it('has what is recorded of a run that has passed: its text, calls, results and end', async () => {
    const local = await inProcess('Note.');
    await using host = await clientHost({ profiles: { chat } });
    const session = await host.client.sessions.create({ message: 'Note.' });
    await Array.fromAsync(session.stream());

    const told = await Array.fromAsync(host.client.sessions.open(session.sessionId).stream());

    expect(told.map(({ type }) => type)).toEqual([
      'user_message',
      'content',
      'tool_use',
      'tool_result',
      'content',
      'result',
    ]);
    expect(textOf(told)).toBe(textOf(local));
  });

  it('skips the runs before the message', async () => {
    await using host = await clientHost({ profiles: { chat } });
    const session = await host.client.sessions.create({ message: 'One.' });
    await Array.fromAsync(session.stream());
    const { messageId } = await session.send('Two.');
    await Array.fromAsync(session.stream());

    const told = await Array.fromAsync(host.client.sessions.open(session.sessionId).stream({ messageId }));

    expect(of(told, 'user_message')).toMatchObject([{ content: 'Two.' }]);
    expect(of(told, 'result')).toHaveLength(1);
  });
});
