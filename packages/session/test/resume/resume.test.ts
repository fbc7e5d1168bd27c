import { describe, expect, it } from 'vitest';
import { createSession, memoryStore, type ResumeOptions, type SessionOptions } from '../../src/index.ts';
import {
  bodiesOf,
  echoTool,
  faultsOf,
  only,
  read,
  resultOf,
  say,
  scriptedProvider,
  scriptedSession,
  shownTo,
} from '../support/makers.ts';
import { abandoned, expiring, finishedIn, resumed } from '../support/resumed.ts';

describe('resumeSession()', () => {
  it('goes on with the conversation under the same id (S03, S39)', async () => {
    const store = memoryStore();
    const first = await scriptedSession([{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, { text: 'One.' }], {
      tools: [echoTool()],
      store,
    });
    await say(first.session, 'first');
    await first.session.close();

    const { session, model } = await resumed(store, first.session.sessionId, [{ text: 'Two.' }]);
    const before = session.messages;
    await say(session, 'second');

    expect(before).toEqual(first.session.messages);
    expect(shownTo(model, 0)).toEqual(['user: first', 'assistant: ', 'tool: a', 'assistant: One.', 'user: second']);
  });

  it('keeps the working directory that the session was made with, unless another is named', async () => {
    const store = memoryStore();
    const { session: first } = await scriptedSession([], { store, cwd: '/tmp' });
    const cwdOf = async (options: Partial<ResumeOptions>) => {
      const { session, model } = await resumed(store, first.sessionId, [{ text: 'Done.' }], options);
      await say(session, 'x');
      return model.requests[0]?.instruction;
    };

    expect(await cwdOf({})).toContain('/tmp;');
    expect(await cwdOf({ cwd: '/usr' })).toContain('/usr;');
  });

  it('runs a started pure or idempotent call again with the same key, and reuses a finished one (Q17, Q18)', async () => {
    for (const effect of ['pure', 'idempotent'] as const) {
      const { store, sessionId, keys, tools } = await abandoned(effect);

      const { session } = await resumed(store, sessionId, [{ text: 'Done.' }], { tools });
      const events = await read(session);

      expect(keys).toEqual([`${sessionId}:w`, `${sessionId}:w`]);
      expect(
        only(events, 'tool_result')
          .map(({ output }) => output)
          .toSorted(),
      ).toEqual(['a', 'worked']);
      expect(finishedIn(await bodiesOf(store, sessionId)).map(({ callId }) => callId)).toEqual(['e', 'w']);
      expect(faultsOf(session.messages)).toEqual([]);
    }
  });

  it('answers a started non-idempotent call with `effect is not known`, and never runs it again (Q18, ZD10)', async () => {
    const { store, sessionId, keys, tools } = await abandoned('non_idempotent');

    const { session, model } = await resumed(store, sessionId, [{ text: 'Done.' }], { tools });
    const events = await read(session);
    const again = await resumed(store, sessionId, []);

    expect(keys).toHaveLength(1);
    expect(shownTo(model, 0).at(-1)).toBe(
      'tool: work was interrupted; its effect is not known. No command of it is running any more. Check what has happened before calling it again.|a',
    );
    expect(resultOf(events).subtype).toBe('success');
    expect(finishedIn(await bodiesOf(store, sessionId))).toHaveLength(2);
    expect(again.session.messages).toEqual(session.messages);
  });

  it('lets `reconcile` settle it before the next model call (Q19)', async () => {
    const { store, sessionId, keys, tools } = await abandoned('non_idempotent');
    const asked: unknown[] = [];
    const reconcile: ResumeOptions['reconcile'] = async (call) => {
      asked.push(call);
      return { output: 'it was done', isError: false };
    };

    const { session, model } = await resumed(store, sessionId, [{ text: 'Done.' }], { tools, reconcile });
    await read(session);

    expect(asked).toEqual([{ id: 'w', name: 'work', input: {} }]);
    expect(keys).toHaveLength(1);
    expect(shownTo(model, 0).at(-1)).toBe('tool: it was done|a');
    expect(finishedIn(await bodiesOf(store, sessionId)).at(-1)?.result.output).toBe('it was done');
  });

  it('says that the effect is not known when `reconcile` does not know either (Q19)', async () => {
    const { store, sessionId, tools } = await abandoned('non_idempotent');

    const { session } = await resumed(store, sessionId, [{ text: 'Done.' }], {
      tools,
      reconcile: async () => undefined,
    });
    await read(session);

    expect(finishedIn(await bodiesOf(store, sessionId)).at(-1)?.result).toMatchObject({
      interrupted: 'unknown',
      isError: true,
    });
  });

  it('keeps the limit that a message has asked for, whatever the resuming session has (S30)', async () => {
    const { store, sessionId, tools } = await abandoned('pure', {}, { maxTurns: 2 });
    const again = { toolCalls: [{ name: 'echo', input: { text: 'b' } }] };
    const { session } = await resumed(store, sessionId, [again, again, again], { tools, maxTurns: 9 });

    const events = await read(session);

    expect(resultOf(events)).toMatchObject({ subtype: 'max_turns' });
    expect(only(events, 'turn_start').map(({ turn }) => turn)).toEqual([1, 2]);
  });

  it('does not say that a call was not run which had begun before the crash, when the second attempt is aborted', async () => {
    const { store, sessionId, keys, tools } = await abandoned('idempotent');
    const { session } = await resumed(store, sessionId, [{ text: 'Done.' }], { tools });

    const stream = session.stream();
    await stream.next();
    session.abort();
    for await (const _ of stream) continue;

    expect(keys).toHaveLength(1);
    expect(finishedIn(await bodiesOf(store, sessionId)).at(-1)?.result).toMatchObject({ interrupted: 'unknown' });
  });

  it('fences the owner that was given up: its run ends with an error and writes nothing more (ZD02, ZD08)', async () => {
    const store = expiring(memoryStore());
    const { session: old } = await scriptedSession([{ text: ['a', 'b'] }, { text: 'Late.' }], { store });
    await old.send('Begin.');
    const oldStream = old.stream();
    for (let step = 0; step < 3; step++) await oldStream.next();

    const { session } = await resumed(store, old.sessionId, [{ text: 'Done.' }]);
    const events = await read(session);
    const before = await bodiesOf(store, old.sessionId);
    const rest = await Array.fromAsync(oldStream);

    expect(resultOf(events).subtype).toBe('success');
    expect(resultOf(rest)).toMatchObject({ subtype: 'error', error: expect.stringContaining('taken over') });
    expect(await bodiesOf(store, old.sessionId)).toEqual(before);
  });

  it('throws SESSION_BUSY while another owner holds the lease, and send still works', async () => {
    const store = memoryStore();
    const { session: old } = await scriptedSession([{ text: ['a', 'b'] }, { text: 'And this.' }], { store });
    await old.send('Begin.');
    const stream = old.stream();
    for (let step = 0; step < 2; step++) await stream.next();

    const { session } = await resumed(store, old.sessionId, []);
    const outcome = await session.send('From elsewhere.');

    await expect(read(session)).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    expect(outcome.status).toBe('started');
    expect(only(await Array.fromAsync(stream), 'user_message').map(({ content }) => content)).toContain(
      'From elsewhere.',
    );
  });

  it('sees what another Session object has done to the same session meanwhile', async () => {
    const store = memoryStore();
    const { session: one } = await scriptedSession(() => ({ text: 'One.' }), { store });
    await say(one, 'first');
    const { session: other } = await resumed(store, one.sessionId, () => ({ text: 'Other.' }));
    await say(other, 'second');

    await say(one, 'third');

    expect(one.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });
});

it('sessions of one process share nothing (S40)', async () => {
  const store = memoryStore();
  const { provider } = scriptedProvider(() => ({ text: 'Done.' }));
  const make = (options: Partial<SessionOptions>) => createSession({ provider, model: 'm', store, ...options });
  const [one, other] = await Promise.all([make({ permissionMode: 'plan', cwd: '/tmp' }), make({ cwd: '/usr' })]);

  await Promise.all([say(one, 'first'), say(other, 'second')]);
  one.setMaxTurns(1);

  expect(one.messages).toHaveLength(2);
  expect(other.messages).toHaveLength(2);
  expect(one.sessionId).not.toBe(other.sessionId);
});
