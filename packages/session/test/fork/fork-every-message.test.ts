import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Message, type ModelRequest, toolUsesOf } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forkSession, type ISession, memoryStore, type SessionStore, sqliteStore } from '../../src/index.ts';
import { exported, longOptions, longSession } from '../support/long-session.ts';
import { bodiesOf, codeOf, faultsOf, read, say } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';

/** A fork whose model keeps what it is asked. */
async function forked(store: SessionStore, sessionId: string, messageId: string) {
  const model = scriptedModel(() => ({ text: 'In the fork.' }), { name: 'm', contextWindow: 1_000_000 });
  const provider = { type: 'custom', createModel: () => model } as const;
  const session = await forkSession({ ...longOptions(store), provider, sessionId, messageId });
  return { session, requests: model.requests };
}

const asksForTools = (message: Message) => message.role === 'assistant' && toolUsesOf(message).length > 0;
const isPending = (session: ISession) => session.messages.at(-1)?.role !== 'assistant';
/** What a service would refuse: calls and answers that do not fit, or nothing to answer at the end. */
function faultsIn(request: ModelRequest | undefined): string[] {
  const messages = request?.messages ?? [];
  const ends = messages[0]?.role === 'user' && messages.at(-1)?.role !== 'assistant';
  return [...faultsOf(messages), ...(ends ? [] : ['begins or ends with the wrong side'])];
}

describe('forks at every message of a long session', () => {
  it('are valid, end with that message, go on with it where it waits for a reply, and leave the source as it is', async () => {
    const { store, session, shown } = await longSession();
    const { sessionId } = session;
    const before = await exported(store, sessionId);
    const valid = [...shown.values()].filter((message) => !asksForTools(message));

    for (const message of valid) {
      const { session: fork, requests } = await forked(store, sessionId, message.id);
      const start = fork.messages;
      const pending = isPending(fork);
      const outcome = await codeOf(read(fork));
      await say(fork, 'on');

      expect(faultsOf(start)).toEqual([]);
      expect(start.map(({ id }) => id)).toContain(message.id);
      expect(outcome).toBe(pending ? 'resolved' : 'NOTHING_TO_STREAM');
      expect(requests.flatMap(faultsIn)).toEqual([]);
      expect(requests[0]?.messages.slice(0, start.length)).toEqual(start);
      expect(fork.messages.at(-1)).toMatchObject({ content: [{ text: 'In the fork.' }] });
    }

    expect(valid.length).toBeGreaterThan(15);
    expect(await exported(store, sessionId)).toBe(before);
  });

  it('end with the message itself, but for the summary, behind which the kept ones stand', async () => {
    const { store, session, shown } = await longSession();
    const valid = [...shown.values()].filter((message) => !asksForTools(message));

    const lasts: unknown[] = [];
    for (const { id } of valid) {
      const { session: fork } = await forked(store, session.sessionId, id);
      lasts.push(fork.messages.at(-1)?.id === id ? 'last' : fork.messages.findIndex((message) => message.id === id));
    }

    expect(lasts.filter((last) => last !== 'last')).toEqual([0]);
  });

  it('are refused exactly behind replies whose calls would stay unanswered, with the ids that are valid', async () => {
    const { store, session, shown } = await longSession();
    const all = [...shown.values()];
    const asking = all.filter(asksForTools);
    const validIds = all.filter((message) => !asksForTools(message)).map(({ id }) => id);

    expect(asking).toHaveLength(3);
    for (const { id } of asking) {
      const refusal: unknown = await forked(store, session.sessionId, id).catch((error: unknown) => error);
      const { message, details } = refusal as { message: string; details: { validIds: string[] } };
      expect(refusal).toMatchObject({ name: 'SessionError', code: 'INVALID_FORK_POINT', statusCode: 400 });
      expect(details.validIds.toSorted()).toEqual(validIds.toSorted());
      const at = all.findIndex((one) => one.id === id);
      expect(message).toContain(`at ${all[at - 1]?.id} or ${all[at + 1]?.id}`);
    }
  });

  it('copy what was said before a compaction, whose id is the same in the fork', async () => {
    const { store, session, shown } = await longSession();
    const [first] = shown.values();
    const summary = session.messages[0];

    const { session: early } = await forked(store, session.sessionId, first!.id);
    const { session: late } = await forked(store, session.sessionId, session.messages.at(-1)!.id);

    expect(early.messages).toEqual([first]);
    expect(summary).toMatchObject({ role: 'user', content: [{ text: expect.stringContaining('A summary.') }] });
    expect(late.messages).toEqual(session.messages);
    expect((await resumed(store, session.sessionId, [])).session.messages[0]).toEqual(summary);
    expect((await resumed(store, late.sessionId, [])).session.messages[0]).toEqual(summary);
    const recorded = (await bodiesOf(store, late.sessionId)).flatMap((body) =>
      body.type === 'record' && body.record.type === 'compaction' ? [body.record.id] : [],
    );
    expect(recorded).toEqual([summary?.id]);
  });

  it('are whole in a file after their source is gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fork-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await using file = sqliteStore({ path: join(folder, 'sessions.db') });

    for (const one of [file, memoryStore()]) {
      const { session } = await longSession(one);
      const fork = await session.fork();
      const messages = fork.messages;
      await session.close();
      await one.remove(session.sessionId);

      const { session: again } = await forked(one, fork.sessionId, messages.at(-1)!.id);
      expect(again.messages).toEqual(messages);
    }
  });
});
