import { describe, expect, it } from 'vitest';
import { createSession, memoryStore } from '../src/index.ts';
import { only, read, say, scriptedProvider } from './makers.ts';

/** Sessions of one store; each has had one run, `name` is what was said in it. */
async function sessionsOf(count: number) {
  const store = memoryStore();
  const { provider } = scriptedProvider(() => ({ text: ['Do', 'ne.'] }));
  const sessions = await Promise.all(
    Array.from({ length: count }, () => createSession({ provider, model: 'm', store, allowedTools: [] })),
  );
  for (const [index, session] of sessions.entries()) await say(session, `hello ${index}`);
  return sessions;
}

describe('many idle sessions on one store', () => {
  it('keep their messages and go on where they were', async () => {
    const sessions = await sessionsOf(100);
    const before = sessions.map((session) => session.messages);

    for (const session of sessions) await say(session, 'again');

    for (const [index, session] of sessions.entries()) {
      expect(before[index]).toMatchObject([
        { content: [{ text: `hello ${index}` }] },
        { content: [{ text: 'Done.' }] },
      ]);
      expect(session.messages.slice(0, 2)).toEqual(before[index]);
      expect(session.messages).toHaveLength(4);
    }
  });

  it('do not take the messages of one whose run is under way', async () => {
    const others = await sessionsOf(40);
    const running = others.pop()!;
    await running.send('again');
    const stream = running.stream();
    await stream.next();
    for (const other of others) await say(other, 'meanwhile');
    await stream.next();

    const during = running.messages;
    for await (const _ of stream) continue;

    expect(during.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(running.messages).toHaveLength(4);
  });

  it('survive a stream that had nothing to do', async () => {
    const sessions = await sessionsOf(40);

    for (const session of sessions) await read(session).catch(() => undefined);

    expect(sessions.map(({ messages }) => messages.length)).toEqual(sessions.map(() => 2));
    expect(only(await say(sessions[0]!, 'again'), 'result')).toHaveLength(1);
  });
});
