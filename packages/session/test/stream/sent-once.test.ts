import { describe, expect, it } from 'vitest';
import { memoryStore, resumeSession, type SendOutcome } from '../../src/index.ts';
import { sendUnopened } from '../../src/internal.ts';
import { codeOf, only, read, resultOf, say, scriptedProvider, scriptedSession, toolNamed } from '../support/makers.ts';

const key = { idempotencyKey: 'order 7' };

describe('a message with a key', () => {
  it('is stored once, by whichever object and process it is sent again', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'Done.' }), { store });
    const { sessionId } = session;
    const first = await session.send('Once.', key);

    const again = await session.send('Once.', key);
    const { provider } = scriptedProvider([]);
    const other = await resumeSession({ provider, model: 'm', store, sessionId });
    const elsewhere = await other.send('Once.', key);
    const events = await read(session);
    const after = await session.send('Once.', key);

    expect(first).toEqual({ status: 'started', messageId: expect.stringMatching(/^key_[0-9a-f]{32}$/) });
    expect([again, elsewhere, after]).toEqual(Array(3).fill({ ...first, status: 'duplicate' }));
    expect(only(events, 'user_message')).toHaveLength(1);
    expect(await store.inbox(sessionId)).toEqual([]);
  });

  it('is another one under another key, in another session, or without one (control)', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'Done.' }), { store });
    const fork = await session.fork();
    const sent = [
      await session.send('Once.', key),
      await session.send('Once.', { idempotencyKey: 'order 8' }),
      await session.send('Once.'),
      await fork.send('Once.', key),
    ];

    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(4);
    expect(await store.inbox(session.sessionId)).toHaveLength(3);
  });

  it('is refused when it says something else, before it was read and after', async () => {
    const { session } = await scriptedSession(() => ({ text: 'Done.' }));
    await session.send('Once.', key);
    const before = await codeOf(session.send('Twice.', key));
    await read(session);

    expect([before, await codeOf(session.send('Twice.', key))]).toEqual([
      'IDEMPOTENCY_CONFLICT',
      'IDEMPOTENCY_CONFLICT',
    ]);
  });

  it('interrupts nothing when it comes again during the run', async () => {
    const outcomes: SendOutcome[] = [];
    const now = { idempotencyKey: 'stop', priority: 'now' } as const;
    const work = toolNamed('work', async () => {
      outcomes.push(await session.send('Begin.', now));
      outcomes.push(await session.send('Faster.', key), await session.send('Faster.', key));
    });
    const { session } = await scriptedSession([{ toolCalls: [{ name: 'work' }] }, { text: 'Done.' }], {
      tools: [work],
    });

    const events = await say(session, 'Begin.', now);

    expect(outcomes.map(({ status }) => status)).toEqual(['duplicate', 'steered', 'duplicate']);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
  });

  it('may be a command, whose second sending finds no message to compare', async () => {
    const { session } = await scriptedSession(() => ({ text: 'Done.' }));
    await session.send('/compact', key);
    await read(session);

    expect(await session.send('/compact', key)).toMatchObject({ status: 'duplicate' });
  });

  it('is refused without a text for its key', async () => {
    const { session } = await scriptedSession([]);

    for (const idempotencyKey of ['', 'x'.repeat(256), 7, 'a\0b', '\ud800'])
      expect(await codeOf(session.send('x', { idempotencyKey } as never))).toBe('VALIDATION_ERROR');
  });
});

describe('sendUnopened', () => {
  it('stores a message for a session that nobody has open, once for each key', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'Done.' }), { store });
    const { sessionId } = session;
    const place = { store, sessionId, cwd: process.cwd(), options: {} };

    const first = await sendUnopened({ ...place, waits: false }, 'Once.', key);
    const again = await sendUnopened({ ...place, waits: false }, 'Once.', key);
    const second = await sendUnopened({ ...place, waits: true }, 'More.');

    expect([first.status, again.status, second.status]).toEqual(['started', 'duplicate', 'queued']);
    expect(only(await read(session), 'user_message').map(({ content }) => content)).toEqual(['Once.', 'More.']);
  });
});
