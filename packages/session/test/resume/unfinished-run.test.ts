import type { AgentHandler } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { bodiesOf, only, read, resultOf, scriptedSession, shownTo } from '../support/makers.ts';
import { abandoned, expiring, resumed } from '../support/resumed.ts';

describe('an unfinished run', () => {
  const stuck: AgentHandler = { name: 'stuck', beforeAgent: () => new Promise(() => undefined) };

  it.each(['next', 'now', 'later'] as const)(
    'that recorded nothing yet goes on with its message of priority %s (S26)',
    async (priority) => {
      const store = expiring(memoryStore());
      const { session: old } = await scriptedSession([], { store, handlers: [stuck] });
      await old.send('Begin.', { priority, maxTurns: 1 });
      void old.stream().next();
      await new Promise((resolve) => setImmediate(resolve));

      const { session, model } = await resumed(store, old.sessionId, () => ({ toolCalls: [{ name: 'missing' }] }));
      const events = await read(session);

      expect(shownTo(model, 0)).toEqual(['user: Begin.']);
      expect(resultOf(events).subtype).toBe('max_turns');
      expect(only(events, 'turn_start')).toHaveLength(1);
      expect(await store.inbox(old.sessionId)).toEqual([]);
      const bodies = await bodiesOf(store, old.sessionId);
      const runs = bodies.flatMap((body) => (body.type === 'run_started' || body.type === 'run_ended' ? [body] : []));
      expect(runs.map(({ type }) => type)).toEqual(['run_started', 'run_ended']);
      expect(runs[1]!.runId).toBe(runs[0]!.runId);
    },
  );

  it('takes a message sent after the crash as steering, and keeps its own id (S26)', async () => {
    const { store, sessionId, tools } = await abandoned('non_idempotent');
    const { session, model } = await resumed(store, sessionId, [{ text: 'Done.' }], { tools });
    await session.send('And?');

    const events = await read(session);

    expect(shownTo(model, 0).at(-1)).toBe('user: And?');
    expect(only(events, 'user_message')).toHaveLength(1);
    expect(only(events, 'turn_start').map(({ turn }) => turn)).toEqual([1, 2]);
  });

  it('whose last reply was recorded is not asked again', async () => {
    const store = expiring(memoryStore());
    const { session: old } = await scriptedSession([{ text: 'The answer.' }], {
      store,
      handlers: [{ name: 'stuck', afterAgent: () => new Promise(() => undefined) }],
    });
    await old.send('Begin.');
    const stream = old.stream();
    for (let step = 0; step < 5; step++) await stream.next();
    void stream.next();
    await new Promise((resolve) => setImmediate(resolve));

    const { session, model } = await resumed(store, old.sessionId, []);
    const events = await read(session);

    expect(model.requests).toEqual([]);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'The answer.' });
  });
});
