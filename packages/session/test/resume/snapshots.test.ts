import type { AgentHandler } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore, type SessionStore } from '../../src/index.ts';
import { loadState } from '../../src/log/load-state.ts';
import { SNAPSHOT_FORMAT } from '../../src/log/snapshot.ts';
import type { Snapshot } from '../../src/store-port.ts';
import { folded, storedLog } from '../support/logs.ts';
import { bodiesOf, resultOf, say } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { created, title } from '../support/store-values.ts';
import { notificationsIn, watched } from '../support/watched.ts';

/** A store with a session `s` of as many entries, and the snapshots that were saved in it. */
async function longLog(entries: number, change: (store: SessionStore) => Partial<SessionStore> = () => ({})) {
  const memory = memoryStore();
  const saved: Snapshot[] = [];
  const changed = { ...memory, ...change(memory) };
  const store: SessionStore = {
    ...changed,
    saveSnapshot: (sessionId, snapshot) => (saved.push(snapshot), changed.saveSnapshot(sessionId, snapshot)),
  };
  const titles = Array.from({ length: entries - 1 }, (_, index) => title(`${index}`));
  await storedLog([created('/tmp'), ...titles], store);
  return { store, saved };
}

describe('the snapshot of a session', () => {
  it('is saved when a run has ended, once 200 entries were added, and is what the log comes to', async () => {
    const { store, saved } = await longLog(300);
    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }));

    await say(session, 'first');
    await vi.waitFor(() => expect(saved).toHaveLength(1), { timeout: 15_000, interval: 5 }); // in the background
    await say(session, 'second');
    await session.close();

    const log = await bodiesOf(store, 's');
    const { state, covered } = await loadState(store, 's');
    expect(saved).toHaveLength(1);
    expect(covered).toBe(saved[0]!.seq);
    expect(log[covered - 1]).toMatchObject({ type: 'run_ended' });
    expect(state).toEqual(folded(log));
  });

  it('is made of what the run has in memory: no more than two entries are read, to know the log again', async () => {
    let read = 0;
    const { store, saved } = await longLog(300, (memory) => ({
      async *read(sessionId, range) {
        for await (const entry of memory.read(sessionId, range)) {
          read += 1;
          yield entry;
        }
      },
    }));
    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }));
    await session.send('first');
    for await (const event of session.stream()) if (event.type === 'result') read = 0;

    await session.close();

    expect(saved).toHaveLength(1);
    expect(read).toBeLessThanOrEqual(2);
    expect((await loadState(store, 's')).state).toEqual(folded(await bodiesOf(store, 's')));
  });

  it('is made of the log where the next run has begun already', async () => {
    const { store, saved } = await longLog(300, (memory) => ({
      async *read(sessionId, range) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        yield* memory.read(sessionId, range);
      },
    }));
    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }));

    await say(session, 'first');
    await say(session, 'second');
    await session.close();

    expect(saved.length).toBeGreaterThan(0);
    expect((await loadState(store, 's')).state).toEqual(folded(await bodiesOf(store, 's')));
  });

  it('is not made of a short log', async () => {
    const { store, saved } = await longLog(150);
    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }));

    await say(session, 'first');
    await session.close();

    expect(saved).toEqual([]);
  });

  it('is the next one’s start: a resumed session has all messages, and its model sees them', async () => {
    const { store } = await longLog(300);
    const { session: first } = await resumed(store, 's', () => ({ text: 'One.' }));
    await say(first, 'first');
    await first.close();
    const { session, model } = await resumed(store, 's', () => ({ text: 'Two.' }));

    await say(session, 'second');

    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(session.messages).toHaveLength(4);
    expect(session.messages.slice(0, 2)).toEqual(first.messages);
  });

  it('that cannot be saved fails no run; the observers of the next one are told', async () => {
    const attempted = Promise.withResolvers<void>();
    let attempts = 0;
    const { store } = await longLog(300, () => ({
      saveSnapshot: async () => {
        attempts += 1;
        attempted.resolve();
        throw new Error('the disk is full');
      },
    }));
    const { handler, events } = watched();
    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }), { handlers: [handler] });

    const outcomes = [await say(session, 'first')];
    await attempted.promise;
    await new Promise((resolve) => setImmediate(resolve));
    outcomes.push(await say(session, 'second'));
    await session.close();

    expect(outcomes.map((run) => resultOf(run).subtype)).toEqual(['success', 'success']);
    expect(attempts).toBe(2);
    expect(notificationsIn(events, 'snapshot_failed')).toEqual([
      'No snapshot of session s could be saved, so resuming it takes longer: the disk is full',
    ]);
  });

  it('has what the log has: a handler cannot change a message in place', async () => {
    const { store } = await longLog(300);
    const changed: boolean[] = [];
    const meddler: AgentHandler = {
      name: 'meddler',
      onEvent: () => {
        const [first] = session.messages;
        if (first) changed.push(Reflect.set(first.content[0]!, 'text', 'changed'));
      },
    };
    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }), { handlers: [meddler] });

    await say(session, 'as it was');
    await session.close();

    const snapshot = await store.latestSnapshot('s', SNAPSHOT_FORMAT);
    expect(new Set(changed)).toEqual(new Set([false]));
    expect(session.messages).toMatchObject([{ content: [{ text: 'as it was' }] }, {}]);
    expect(new TextDecoder().decode(snapshot!.state)).toContain('as it was');
    expect((await loadState(store, 's')).state).toEqual(folded(await bodiesOf(store, 's')));
  });

  it('is not written after `close` has resolved', async () => {
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const { store } = await longLog(300, ({ saveSnapshot }) => ({
      saveSnapshot: async (...args) => {
        await gate.promise;
        await saveSnapshot(...args);
        order.push('saved');
      },
    }));
    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }));
    await say(session, 'first');

    const closing = session.close().then(() => order.push('closed'));
    gate.resolve();
    await closing;

    expect(order).toEqual(['saved', 'closed']);
  });
});
