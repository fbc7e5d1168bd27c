import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '@x/core';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  forkSession,
  type ISession,
  memoryStore,
  pendingQuestions,
  watchSession,
} from '../../src/index.ts';
import { checkpointed, made, picture, place, STORES, write } from '../support/checkpointed.ts';
import { echoTool, linesOf, say, scriptedProvider, scriptedSession, shownTo, toolNamed } from '../support/makers.ts';
import { waitingSession } from '../support/waiting.ts';

const linesIn = ({ messages }: ISession) => messages.map(linesOf);
const userIds = ({ messages }: ISession) => messages.flatMap(({ id, role }) => (role === 'user' ? [id] : []));

describe.each(STORES)('a rewind of files and conversation, with sessions in %s', (_, storeIn) => {
  it('goes back to before the message, also for another object of the session', async () => {
    const { folder, home } = place();
    const store = storeIn(home);
    const session = await checkpointed(folder, { store });
    await made(session, write('a', '1'));
    const [files, messages] = [picture(folder), session.messages];
    const wrong = await made(session, write('a', '2'), write('b', '2'));
    await made(session, write('c', '3'));

    const dry = await session.rewind({ messageId: wrong, dryRun: true });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('2');
    expect(session.messages).toHaveLength(messages.length + 10);
    const result = await session.rewind({ messageId: wrong });

    const conversation = { message: { id: wrong, role: 'user' }, removed: 10 };
    expect(result).toMatchObject({ success: true, dryRun: false, conversation, files: { success: true } });
    expect(dry).toMatchObject({ success: true, dryRun: true, conversation, files: { dryRun: true } });
    expect(picture(folder)).toEqual(files);
    expect(session.messages).toEqual(messages);
    await session.close();
    const again = await checkpointed(folder, { store, sessionId: session.sessionId });
    expect(again.messages).toEqual(messages);
    await made(again, write('a', '2, better'));
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('2, better');
  });
});

describe('a rewind of the conversation', () => {
  const hello = () => scriptedSession(({ messages }) => ({ text: `${messages.length}` }));

  it('is of the conversation alone where there are no checkpoints; the model sees nothing of what was cut', async () => {
    const { session, model } = await hello();
    for (const text of ['one', 'two', 'three']) await say(session, text);

    const { conversation, ...result } = await session.rewind({ messageId: userIds(session)[1]! });
    await say(session, 'two, again');

    expect(result).toEqual({ success: true, dryRun: false });
    expect(conversation?.removed).toBe(4);
    expect(textOf(conversation!.message)).toBe('two');
    expect(shownTo(model, 3)).toEqual(['user: one', 'assistant: 1', 'user: two, again']);
    await session.close();
  });

  it('can go back behind a compaction, to the very messages that it has replaced', async () => {
    const { session } = await scriptedSession(
      ({ messages }) => {
        const last = messages.at(-1)!;
        return last.role === 'user' && linesOf(last) === 'call'
          ? { toolCalls: [{ name: 'echo', input: { text: 'echoed' } }] }
          : { text: 'Yes.' };
      },
      { tools: [echoTool()] },
    );
    const long = 'x'.repeat(300_000);
    for (const text of ['call', long, 'call', 'plain', 'last']) await say(session, text);
    const before = session.messages;
    await say(session, '/compact');
    expect(session.messages.length).toBeLessThan(before.length);

    await session.rewind({ messageId: before.find((message) => linesOf(message) === 'plain')!.id });

    expect(session.messages).toEqual(before.slice(0, 10));
    expect((await say(session, 'call')).at(-1)).toMatchObject({ subtype: 'success' });
    await session.close();
  });

  it('finds messages again that an earlier one has taken out, and so do forks', async () => {
    const { provider, store, session } = await inStore();
    for (const text of ['one', 'two', 'three']) await say(session, text);
    const all = session.messages;
    const [, two, three] = userIds(session);
    await session.rewind({ messageId: two! });

    const options = { provider, model: 'm', store, sessionId: session.sessionId };
    const fork = await forkSession({ ...options, messageId: three! });
    expect(fork.messages).toEqual(all.slice(0, 5));
    const whole = await forkSession(options);
    expect(linesIn(whole)).toEqual(['one', '1']);
    await session.rewind({ messageId: three! });
    expect(session.messages).toEqual(all.slice(0, 4));
    await say(session, 'three, again');
    expect(linesIn(session)).toEqual(['one', '1', 'two', '3', 'three, again', '5']);
    for (const one of [fork, whole, session]) await one.close();
  });

  it('is told to those who follow (V32)', async () => {
    const { store, session } = await inStore();
    for (const text of ['one', 'two']) await say(session, text);
    const [one, two] = userIds(session);
    await session.rewind({ messageId: two!, dryRun: true });
    await session.rewind({ messageId: two! });
    await session.rewind({ messageId: one! });
    await say(session, 'last');
    await session.close();

    const told: unknown[] = [];
    let runs = 0;
    for await (const { event, messageId } of watchSession({ sessionId: session.sessionId, store })) {
      if (event.type === 'conversation_rewound') told.push([runs, event.messageId, messageId]);
      if (event.type === 'result' && ++runs === 3) break;
    }
    expect(told).toEqual([
      [2, two, two],
      [2, one, one],
    ]);
  });

  it('ends a run that waits for an answer, whose questions are then withdrawn', async () => {
    const store = memoryStore();
    const { session, sessionId } = await waitingSession({ store });
    expect(await pendingQuestions(store)).toHaveLength(1);

    await session.rewind({ messageId: userIds(session)[0]! });

    expect(session.messages).toEqual([]);
    expect(await pendingQuestions(store)).toEqual([]);
    expect(sessionId).toBe(session.sessionId);
  });

  it.each<[string, string, (session: ISession) => object]>([
    ['an unknown message', 'MESSAGE_NOT_FOUND', () => ({ messageId: 'x' })],
    ['a reply', 'VALIDATION_ERROR', ({ messages }) => ({ messageId: messages[1]!.id })],
    ['nothing to do', 'VALIDATION_ERROR', ({ messages }) => ({ messageId: messages[0]!.id, conversation: false })],
    ['no message', 'VALIDATION_ERROR', () => ({})],
    ['a misspelt option', 'VALIDATION_ERROR', ({ messages }) => ({ messageId: messages[0]!.id, dryrun: true })],
    ['a text for an option', 'VALIDATION_ERROR', ({ messages }) => ({ messageId: messages[0]!.id, files: 'no' })],
  ])('is refused for %s, and nothing is changed', async (_, code, optionsFor) => {
    const { session } = await hello();
    await say(session, 'one');
    const before = session.messages;

    const options = optionsFor(session) as Parameters<ISession['rewind']>[0]; // wrong on purpose
    await expect(session.rewind(options)).rejects.toMatchObject({ code });

    expect(session.messages).toEqual(before);
    await session.close();
    await expect(session.rewind({ messageId: before[0]!.id })).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });

  it('is refused while a run is under way', async () => {
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const wait = toolNamed('wait', () => (begun.resolve(), release.promise), { kind: 'readonly' });
    const { session } = await scriptedSession(
      ({ messages }) => (messages.length === 1 ? { toolCalls: [{ name: 'wait', input: {} }] } : { text: 'Done.' }),
      { tools: [wait] },
    );
    const { messageId } = await session.send('Wait.');
    const running = Array.fromAsync(session.stream());
    await begun.promise;

    await expect(session.rewind({ messageId })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    release.resolve('');
    await running;
    expect(await session.rewind({ messageId })).toMatchObject({ success: true, conversation: { removed: 4 } });
    await session.close();
  });
});

describe('a file that cannot be taken back', () => {
  it('leaves the conversation as it is, until that is forced or the files are left out', async () => {
    const { folder } = place();
    const session = await checkpointed(folder);
    const first = await made(session, write('a', '1'));
    const second = await made(session, write('a', '2'));
    writeFileSync(join(folder, 'a'), "the user's");

    for (const dryRun of [true, false]) {
      const result = await session.rewind({ messageId: second, dryRun });
      expect(result).toMatchObject({ success: false, files: { conflicts: [join(folder, 'a')] } });
      expect(result.conversation).toBeUndefined();
    }
    expect(session.messages).toHaveLength(8);
    expect(await session.rewind({ messageId: second, files: false })).toMatchObject({ success: true });
    expect(session.messages).toHaveLength(4);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe("the user's");
    expect(await session.rewind({ messageId: first, force: true })).toMatchObject({ success: true });
    expect([session.messages, picture(folder)]).toEqual([[], {}]);
  });

  it('is told, and nothing is cut, when files are asked for and there are no checkpoints', async () => {
    const { session } = await scriptedSession(() => ({ text: 'Yes.' }));
    await say(session, 'one');
    const [messageId] = userIds(session);

    const result = await session.rewind({ messageId: messageId!, files: true });

    expect(result).toMatchObject({ success: false, files: { success: false, errors: [{}] } });
    expect(session.messages).toHaveLength(2);
    await session.close();
  });
});

async function inStore() {
  const store = memoryStore();
  const { provider } = scriptedProvider(({ messages }) => ({ text: `${messages.length}` }));
  const session = await createSession({ provider, model: 'm', store });
  return { provider, store, session };
}
