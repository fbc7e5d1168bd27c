import { describe, expect, it } from 'vitest';
import { type EntryBody, memoryStore, type SessionStore } from '../../src/index.ts';
import { forked, textsOf } from '../support/forked.ts';
import { exported } from '../support/long-session.ts';
import {
  bodiesOf,
  codeOf,
  echoTool,
  read,
  resultOf,
  say,
  scriptedProvider,
  scriptedSession,
  shownTo,
  toolNamed,
} from '../support/makers.ts';
import { abandoned, resumed } from '../support/resumed.ts';
import { owned } from '../support/store-values.ts';

describe('forkSession()', () => {
  it('gives a new session with all of the history, and leaves the source byte for byte as it is', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'One.' }], { store });
    await say(session, 'first');
    const before = await exported(store, session.sessionId);

    const { session: fork, model } = await forked(store, session.sessionId);
    await say(fork, 'second');

    expect(fork.sessionId).not.toBe(session.sessionId);
    expect(fork.messages.slice(0, 2)).toEqual(session.messages);
    expect(shownTo(model, 0)).toEqual(['user: first', 'assistant: One.', 'user: second']);
    expect(await exported(store, session.sessionId)).toBe(before);
    expect((await bodiesOf(store, fork.sessionId))[0]).toMatchObject({
      type: 'session_created',
      forkedFrom: { sessionId: session.sessionId, seq: 6 },
    });
  });

  it('cuts behind a user message, which is then answered without another send', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'One.' }), { store });
    await say(session, 'first');
    const { messageId } = await session.send('second');
    await read(session);

    const { session: fork } = await forked(store, session.sessionId, { messageId });
    const events = await read(fork);

    expect(textsOf(fork)).toEqual(['first', 'One.', 'second', 'Forked.']);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Forked.', messageId });
    expect(await codeOf(read(fork))).toBe('NOTHING_TO_STREAM');
  });

  it('cuts behind an interrupted reply, and the next message starts a run of its own', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'Once upon', hangs: true }, { text: 'Stopped.' }], { store });
    await session.send('Tell.');
    for await (const event of session.stream())
      if (event.type === 'content' && event.delta === 'Once upon') await session.send('Stop.', { priority: 'now' });

    const { session: fork, model } = await forked(store, session.sessionId, { messageId: session.messages[1]!.id });
    const nothing = await codeOf(read(fork));
    await say(fork, 'Go on.');

    expect(nothing).toBe('NOTHING_TO_STREAM');
    expect(shownTo(model, 0)).toEqual(['user: Tell.', 'assistant: Once upon', 'user: Go on.']);
    expect(
      (await bodiesOf(store, fork.sessionId)).flatMap((body) => (body.type === 'run_ended' ? body.subtype : [])),
    ).toEqual(['aborted', 'success']);
  });

  it('cuts behind the answers of a turn that used up the run, and behind a message that no model has answered', async () => {
    const store = memoryStore();
    const script = [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, { error: new Error('Down.') }];
    const { session } = await scriptedSession(script, { store, tools: [echoTool()], maxTurns: 1 });
    await say(session, 'first');
    await say(session, 'second');
    const [, , answers, failed] = session.messages;

    const { session: behindAnswers } = await forked(store, session.sessionId, { messageId: answers!.id });
    const { session: behindFailed } = await forked(store, session.sessionId, { messageId: failed!.id });

    expect(await codeOf(read(behindAnswers))).toBe('NOTHING_TO_STREAM');
    expect(resultOf(await read(behindFailed))).toMatchObject({ subtype: 'success', content: 'Forked.' });
  });

  it('rejects an unknown id, one that still waits and one of another session with MESSAGE_NOT_FOUND', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'One.' }), { store });
    const { session: other } = await scriptedSession(() => ({ text: 'One.' }), { store });
    await say(session, 'first');
    await say(other, 'first');
    const { messageId } = await session.send('waits');
    const sessions = (await store.list()).sessions.length;

    for (const id of [crypto.randomUUID(), messageId, other.messages[0]!.id, '__proto__'])
      expect(await codeOf(forked(store, session.sessionId, { messageId: id }))).toBe('MESSAGE_NOT_FOUND');

    expect((await store.list()).sessions).toHaveLength(sessions);
  });

  it('rejects what it cannot honour, and leaves nothing behind', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'One.' }), { store });
    const SessionStart = [{ hooks: [() => Promise.resolve({ continue: false, stopReason: 'no' })] }];
    const codes: unknown[] = [];
    for (const more of [
      { copyCheckpoints: true },
      { messageId: 7 as never },
      { mesageId: 'x' },
      { cwd: '/no/such/directory' },
      { hooks: { SessionStart } },
    ])
      codes.push(await codeOf(forked(store, session.sessionId, more)));

    expect(codes).toEqual([
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      'STOPPED_BY_HOOK',
    ]);
    expect(await codeOf(forked(store, crypto.randomUUID()))).toBe('SESSION_NOT_FOUND');
    await expect(forked(store, session.sessionId, { mesageId: 'x' } as object)).rejects.toThrow(
      'did you mean messageId?',
    );
    expect((await store.list()).sessions).toHaveLength(1);
    expect((await forked(store, session.sessionId, { copyCheckpoints: false })).session.messages).toEqual([]);
  });

  it('takes options as a resumed session does, and tells the hooks that it is a fork', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'One.' }), { store, cwd: '/tmp', systemPrompt: 'Old.' });
    await say(session, 'first');
    const sources: unknown[] = [];
    const SessionStart = [{ hooks: [async (input: object) => void sources.push('source' in input && input.source)] }];
    const seen: string[] = [];
    const see = toolNamed('see', async (_, { cwd, sessionId }) => void seen.push(cwd, sessionId));

    const { provider, models } = scriptedProvider([{ toolCalls: [{ name: 'see' }] }, { text: 'Seen.' }]);
    const more = { provider, systemPrompt: 'New.', tools: [see], allowedTools: ['see'], hooks: { SessionStart } };
    const { session: fork } = await forked(store, session.sessionId, { ...more, permissionMode: 'bypassPermissions' });
    await say(fork, 'second');

    expect(models[0]?.requests[0]?.instruction).toBe('New.');
    expect(seen).toEqual(['/tmp', fork.sessionId]);
    expect(sources).toEqual(['fork']);
  });

  it('leaves messages that wait with the source, to which they were sent', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'One.' }), { store });
    await say(session, 'first');
    await session.send('waits');

    const { session: fork } = await forked(store, session.sessionId);
    await say(fork, 'second');
    await read(session);

    expect(textsOf(fork)).toEqual(['first', 'One.', 'second', 'Forked.']);
    expect(textsOf(session)).toEqual(['first', 'One.', 'waits', 'One.']);
  });

  it('copies everything of a session that crashed, but for a reply whose calls are unanswered', async () => {
    const { store, sessionId } = await abandoned('pure');

    const { session: fork } = await forked(store, sessionId);
    const { session: again } = await forked(store, fork.sessionId);
    const before = textsOf(again);
    await read(again);

    expect(textsOf(fork)).toEqual(['Begin.']);
    expect(before).toEqual(['Begin.']);
    expect(textsOf(again)).toEqual(['Begin.', 'Forked.']);
  });

  it('gives the lease of a crashed session back, once it was seen that nobody runs it', async () => {
    const { store, sessionId, tools } = await abandoned('non_idempotent');
    const patient: SessionStore = { ...store, acquire: (id, owner) => store.acquire(id, owner, 60_000) };
    const leases: string[] = [];
    const counting: SessionStore = {
      ...patient,
      release: async (lease) => (leases.push(lease.sessionId), store.release(lease)),
    };

    await forked(counting, sessionId, { tools });

    expect(leases[0]).toBe(sessionId);
  });

  it('does not take up a run whose first message was never recorded', async () => {
    const store = memoryStore();
    const started: EntryBody = { type: 'run_started', runId: 'r', messageId: 'waits', model: 'm' };
    await store.create('s1', { type: 'session_created', format: 1, cwd: '/tmp' });
    await store.append('s1', { epoch: 0, head: 1 }, [{ type: 'title', title: 'T' }, started]);

    const { session: fork } = await forked(store, 's1');

    expect(await codeOf(read(fork))).toBe('NOTHING_TO_STREAM');
    expect(fork.title).toBe('T');
  });

  it('finds a message that is stored beside the log, and copies what it stands for', async () => {
    const store = memoryStore();
    const large = 'x'.repeat(400_000);
    const { session } = await scriptedSession(() => ({ text: 'One.' }), { store });
    const { messageId } = await session.send(large);
    await read(session);

    const { session: fork } = await forked(store, session.sessionId, { messageId });
    await store.remove(session.sessionId);
    const { session: again } = await resumed(store, fork.sessionId, []);

    expect(textsOf(again)).toEqual([large]);
  });

  it('names the session when its log is damaged, and the others load', async () => {
    const store = memoryStore();
    const { session: sound } = await scriptedSession(() => ({ text: 'One.' }), { store });
    const { append } = await owned(store, 'broken');
    await append(1, 'a title');
    const read = (id: string) => store.read(id, { after: id === 'broken' ? 1 : 0 });

    const damaged = await forked({ ...store, read }, 'broken').catch((error: unknown) => error);
    const other = await forked({ ...store, read }, sound.sessionId);

    expect(damaged).toMatchObject({ code: 'LOG_DAMAGED', message: expect.stringContaining('broken') });
    expect(other.session.messages).toEqual([]);
  });
});
