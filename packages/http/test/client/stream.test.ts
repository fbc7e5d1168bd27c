import type { StreamMessage } from '@x/core';
import { createSession, memoryStore } from '@x/session';
import { describe, expect, it } from 'vitest';
import { clientHost, refusal } from '../support/client-host.ts';
import { profileOf, scripted, toolNamed } from '../support/hosted.ts';

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
    const events = Array.fromAsync(session.stream({ messageId: 'x' }).return() as never);
    await events.catch(() => undefined);
    await session.send('Note.');

    const told = await Array.fromAsync(session.stream());

    console.log(JSON.stringify(local.map(shapeOf), null, 0));
    console.log(JSON.stringify(told.map(shapeOf), null, 0));
    expect(told.at(-1)).toMatchObject({ type: 'result', subtype: 'success', content: 'All is noted.' });
  });
});
void [of, textOf, refusal];
