import type { AgentEvent } from '@x/core';
import { describe, expect, it } from 'vitest';
import type { HookConfig, HookInput } from '../../src/index.ts';
import { agentsNamed, task } from '../support/agent-scripts.ts';
import { bodiesOf, resultOf, say } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { looks, smallSession } from '../support/small-session.ts';
import { notificationsIn } from '../support/watched.ts';

const compactions = (seen: readonly AgentEvent[]) => seen.filter(({ type }) => type === 'compaction').length;

describe('a compaction', () => {
  const filling = () => ({ main: [looks(), looks(), looks(1_900), { text: ['Do', 'ne.'] }, { text: 'More.' }] });

  it('is counted before the deltas of its turn', async () => {
    const { session, seen } = await smallSession(filling());

    const events = await say(session, 'Begin.');

    const last = events.slice(events.findLastIndex(({ type }) => type === 'turn_start')).map(({ type }) => type);
    expect(compactions(seen)).toBe(1);
    expect(last.join(' ')).toBe('turn_start usage content content usage turn_end result');
  });

  it('leaves calls and answers together, is an entry of its own, and deletes nothing', async () => {
    const { session, model, store } = await smallSession(filling());
    await say(session, 'Begin.');

    const bodies = await bodiesOf(store, session.sessionId);
    const types = bodies.flatMap((body) => (body.type === 'record' ? [body.record.type] : []));
    const roles = model.requests.at(-1)!.messages.map(({ role }) => role);

    expect(types.filter((type) => type === 'compaction')).toHaveLength(1);
    expect(types.filter((type) => type === 'message')).toHaveLength(1 + 4); // the user's and every reply
    expect(types.filter((type) => type === 'tool_finished')).toHaveLength(3);
    expect(roles.join(' ')).toMatch(/^user( user)?( assistant tool)+$/);
  });

  it('is delivered around: a message sent during it comes after it', async () => {
    const sent: { now?: () => Promise<unknown> } = {};
    const hooks: HookConfig = {
      Compaction: [{ hooks: [async () => void (await sent.now?.())] }],
    };
    const { session, seen, model } = await smallSession(filling(), { hooks });
    sent.now = () => session.send('Faster.');

    const events = await say(session, 'Begin.');

    const order = seen.flatMap((event) => {
      if (event.type === 'user_message') return [event.content];
      return event.type === 'compaction' ? ['compaction'] : [];
    });
    expect(order).toEqual(['Begin.', 'compaction', 'Faster.']);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'More.' });
    const last = model.requests.at(-1)!.messages.at(-1);
    expect(last).toMatchObject({ role: 'user', content: [{ text: 'Faster.' }] });
  });

  it('is blocked once by a hook: the run goes on with everything, and the next attempt is made later', async () => {
    const asked: number[] = [];
    const hooks: HookConfig = {
      Compaction: [
        {
          hooks: [
            async ({ messages_before }) => {
              asked.push(messages_before);
              return { blockCompaction: asked.length === 1 };
            },
          ],
        },
      ],
    };
    const parts = { main: [looks(), looks(1_800), looks(1_850), looks(2_400), { text: 'Done.' }] };
    const { session, seen, model } = await smallSession(parts, { hooks });

    await say(session, 'Begin.');

    expect(asked).toHaveLength(2);
    expect(notificationsIn(seen, 'compaction_blocked')).toHaveLength(1);
    expect(compactions(seen)).toBe(1);
    const whole = model.requests.find(({ messages }) => messages.length === asked[0]);
    expect(whole).toBeDefined(); // the turn of the block was shown everything
  });

  it('is given up at once when the run is aborted while a hook is asked about it', async () => {
    const reached = Promise.withResolvers<AbortSignal>();
    const hangs = (_: HookInput, { signal }: { signal: AbortSignal }) => {
      reached.resolve(signal);
      return new Promise<never>(() => undefined);
    };
    const { session, seen } = await smallSession(filling(), { hooks: { Compaction: [{ hooks: [hangs] }] } });
    await session.send('Begin.');
    const reading = Array.fromAsync(session.stream());
    const signal = await reached.promise;

    session.abort();

    expect(resultOf(await reading).subtype).toBe('aborted');
    expect(signal.aborted).toBe(true);
    expect(compactions(seen)).toBe(0);
  });

  it('of a subagent leaves the history of its parent alone, and holds when it is read again', async () => {
    const parts = {
      main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
      one: [looks(), looks(), looks(1_900), { text: 'Worked.' }],
    };
    const { session, seen, store } = await smallSession(parts, { agents: agentsNamed('one') });
    await say(session, 'Begin.');
    const before = session.messages;
    await session.close();
    const { session: again } = await resumed(store, session.sessionId, []);

    expect(compactions(seen)).toBe(1);
    expect(before.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(again.messages).toEqual(before);
  });
});
