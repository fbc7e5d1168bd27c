import { setImmediate as turn } from 'node:timers/promises';
import { memoryStore } from '@x/session';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { endRun } from '../../src/sessions/end-run.ts';
import { EventStreams } from '../../src/sessions/event-streams.ts';
import type { HostParts } from '../../src/sessions/host-parts.ts';
import { LiveSessions } from '../../src/sessions/live-sessions.ts';
import { Profiles } from '../../src/sessions/profiles.ts';
import { resultOf } from '../support/followed.ts';
import { ANN, hosted, profileOf } from '../support/hosted.ts';

/** A server whose session is still being closed: its run has ended, and a hook of its end waits. */
async function closing() {
  const hooked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let waits = false;
  const wait = async () => {
    if (!waits) return {};
    hooked.resolve();
    await released.promise;
    return {};
  };
  const hooks = { SessionEnd: [{ hooks: [wait] }] };
  const host = await hosted({ profiles: { chat: profileOf(undefined, { hooks }) } });
  const path = await host.made();
  waits = true;
  await host.ask('POST', `${path}/messages`, { text: 'Hello.' });
  const { cursor } = await resultOf(host, path);
  await hooked.promise;
  waits = false;
  return { host, path, cursor, release: released.resolve };
}

describe('a run that has just ended', () => {
  it('is waited for by what needs the session', async () => {
    const { host, path, release } = await closing();
    const deleting = host.ask('DELETE', path);
    await turn();
    release();

    expect((await deleting).statusCode).toBe(204);
    await host.server.close();
  });

  it('takes no message any more: the next one does', async () => {
    const { host, path, cursor, release } = await closing();
    const sent = await host.ask('POST', `${path}/messages`, { text: 'More.' });
    release();

    expect([sent.statusCode, sent.json().status]).toEqual([202, 'started']);
    expect((await resultOf(host, path, cursor)).event).toMatchObject({ subtype: 'success' });
    await host.server.close();
  });
});

describe('endRun', () => {
  async function resting(profiles = new Profiles({ chat: profileOf() })) {
    const host = await hosted();
    const sessionId = (await host.made()).split('/').at(-1)!;
    const [session] = (await host.store.list({ sessionId })).sessions;
    const parts = { store: host.store, profiles, live: new LiveSessions() } as HostParts;
    return { parts, session: { ...session!, state: 'interrupted' as const }, host };
  }

  it('ends nothing when the run has ended in the meantime', async () => {
    const { parts, session, host } = await resting();

    expect(await endRun(parts, session)).toBe(false);
    await host.server.close();
  });

  it('fails with the profile of the session', async () => {
    const { parts, session, host } = await resting(new Profiles({ other: profileOf() }));

    await expect(endRun(parts, session)).rejects.toMatchObject({ code: 'PROFILE_FAILED' });
    await host.server.close();
  });
});

describe('EventStreams', () => {
  it('end with frames that fail', async () => {
    const streams = new EventStreams({ heartbeatMs: 1_000, stallMs: 1_000, maxStreams: 1 });
    const bare = new Hono().get('/frames', (context) =>
      streams.place('ann').answer(context as never, {
        sessionId: 's',
        async *frames() {
          yield new TextEncoder().encode('data: 1\n\n');
          throw new Error('not caught');
        },
      }),
    );

    expect(await (await bare.request('/frames')).text()).toBe('data: 1\n\n');
  });

  it('end at once when they are all ended, or the client has left before', async () => {
    const host = await hosted();
    const path = await host.made();
    const following = host.ask('GET', `${path}/events`, undefined, ANN);
    await host.server.close();

    expect((await following).body).toBe('');
  });
});

describe('a store in memory', () => {
  it('is left open', async () => {
    const store = memoryStore();
    const host = await hosted({ store });
    await host.server.close();

    expect(await store.list()).toEqual({ sessions: [] });
  });
});
