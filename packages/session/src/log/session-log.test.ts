import { AgentError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../test/support/makers.ts';
import { record } from '../../test/support/random-log.ts';
import { created, title } from '../../test/support/store-values.ts';
import { memoryStore } from '../store/memory-store.ts';
import { sessionJournal } from './session-journal.ts';
import { readState, SessionLog } from './session-log.ts';
import type { SessionStore } from './session-store.ts';

/** A session and its owner's log; `lost` is what the owner was told. */
async function opened(change: (store: SessionStore) => Partial<SessionStore> = () => ({})) {
  const memory = memoryStore();
  const store: SessionStore = { ...memory, ...change(memory) };
  await store.create('s', created());
  const lost: unknown[] = [];
  const log = await SessionLog.open({ store, sessionId: 's', onLost: (reason) => void lost.push(reason) });
  return { store, log, lost };
}

const output = (callId: string, text: string) =>
  record({ type: 'tool_finished', callId, result: { output: text, isError: false }, durationMs: 1 });
const outputsIn = async (store: SessionStore) => {
  const found: string[] = [];
  const bodies = await Array.fromAsync(store.read('s'));
  for (const { body } of bodies) {
    if (body.type === 'blob') found.push('blob');
    if (body.type === 'record' && body.record.type === 'tool_finished') found.push(body.record.result.output);
  }
  return found;
};

describe('SessionLog', () => {
  it('holds the lease until it is closed, once', async () => {
    let releases = 0;
    const { store, log } = await opened(({ release }) => ({ release: (lease) => (releases++, release(lease)) }));

    const during = await store.acquire('s', 'other', 1000);
    await Promise.all([log.close(), log.close(), log[Symbol.asyncDispose]()]);

    expect(during).toBeUndefined();
    expect(await store.acquire('s', 'other', 1000)).toBeDefined();
    expect(releases).toBe(1);
  });

  it('throws SESSION_BUSY while another owner holds it, and SESSION_NOT_FOUND when there is none', async () => {
    const { store } = await opened();
    const open = (sessionId: string) => SessionLog.open({ store, sessionId, onLost: () => undefined });

    expect(await codeOf(open('s'))).toBe('SESSION_BUSY');
    expect(await codeOf(open('nobody'))).toBe('SESSION_NOT_FOUND');
  });

  it('says with SESSION_BUSY until when at most, where the store can', async () => {
    const { store } = await opened();
    const { leaseLeftMs: _, ...without } = store;
    const errorOf = (from: SessionStore) =>
      SessionLog.open({ store: from, sessionId: 's', onLost: () => undefined }).then(
        () => undefined,
        (error: AgentError) => error,
      );

    const [error, other] = [await errorOf(store), await errorOf(without)];

    const leaseEndsInMs = (error as { details?: { leaseEndsInMs?: number } }).details?.leaseEndsInMs ?? 0;
    expect(leaseEndsInMs > 20_000 && leaseEndsInMs <= 30_000).toBe(true);
    expect(error?.message).toMatch(/its lease ends at the latest at \d\d:\d\d:\d\d$/);
    expect(other).toMatchObject({ code: 'SESSION_BUSY', message: expect.stringContaining('elsewhere') });
    expect(other).not.toHaveProperty('details');
  });

  it.each([
    ['SESSION_CONFLICT', 2],
    ['LOG_DAMAGED', 1],
    ['LOG_TOO_NEW', 1],
  ])('looks for what a refused append has left only where another was first (%s: %i tries)', async (code, tries) => {
    let tried = 0;
    const append = async () => {
      tried += 1;
      throw new AgentError('refused', { code });
    };
    const { log, lost } = await opened(() => ({ append }));

    expect(await codeOf(log.append([title('a')]))).toBe(code);
    expect([tried, lost]).toMatchObject([tries, [{ code }]]);
  });

  it('gives the lease back when the log cannot be read', async () => {
    const store = memoryStore();
    await store.create('s', { type: 'session_created', format: 7 as never, cwd: '/' });

    expect(await codeOf(SessionLog.open({ store, sessionId: 's', onLost: () => undefined }))).toBe('LOG_TOO_NEW');

    expect(await store.acquire('s', 'other', 1000)).toBeDefined();
  });

  it('appends in the order it is asked, without waiting for the answer', async () => {
    const { store, log } = await opened();

    await Promise.all(['a', 'b', 'c'].map((text, index) => log.append([output(`c${index}`, text)])));

    expect(await outputsIn(store)).toEqual(['a', 'b', 'c']);
    expect(log.state.head).toBe(4);
  });

  it('folds what it has appended only once the store has it', async () => {
    const gate = Promise.withResolvers<void>();
    const { log } = await opened(({ append }) => ({
      append: async (...args) => (await gate.promise, append(...args)),
    }));

    const writing = log.append([title('a')]);
    const before = log.state.head;
    gate.resolve();
    await writing;

    expect([before, log.state.head]).toEqual([1, 2]);
  });

  it('is broken once it was fenced: the owner is told, every later append rejects with the same error (ZD02)', async () => {
    const { store, log, lost } = await opened(({ acquire }) => ({ acquire: (id, owner) => acquire(id, owner, -1) }));
    await store.acquire('s', 'other', 1000);

    const outcomes = await Promise.all([codeOf(log.append([title('a')])), codeOf(log.append([title('b')]))]);

    expect(outcomes[0]).toBe('SESSION_FENCED');
    expect(await codeOf(log.append([title('c')]))).toBe('SESSION_FENCED');
    expect(lost[0]).toMatchObject({ code: 'SESSION_FENCED' });
    expect(await Array.fromAsync(store.read('s'))).toHaveLength(1);
  });

  it('is broken once an append has failed, so that no later one can come before it', async () => {
    let fails = true;
    const { log } = await opened(({ append }) => ({
      append: (...args) =>
        fails ? Promise.reject(new AgentError('disk full', { code: 'STORE_FAILED' })) : append(...args),
    }));
    await log.append([title('a')]).catch(() => undefined);
    fails = false;

    expect(await codeOf(log.append([title('b')]))).toBe('STORE_FAILED');
    expect(log.state.head).toBe(1);
  });

  it('rejects for the reason that came first', async () => {
    const reasons = ['first', 'second'];
    const { log } = await opened(() => ({ append: () => Promise.reject(new Error(reasons.shift())) }));

    const outcomes = await Promise.allSettled([log.append([title('a')]), log.append([title('b')])]);

    expect(outcomes).toMatchObject([{ reason: { message: 'first' } }, { reason: { message: 'second' } }]);
    await expect(log.append([title('c')])).rejects.toThrow('first');
  });
});

describe('large bodies', () => {
  it.each([300_000, 2_000_000])(
    'of %i bytes survive, byte for byte, between small ones in their order (ZD16)',
    async (size) => {
      const { store, log } = await opened();
      const large = `${'ä\u0000"\\\n😀'.repeat(size / 10)}end`;

      await Promise.all(
        [output('c0', 'before'), output('c1', large), output('c2', 'after'), output('c3', large)].map((body) =>
          log.append([body]),
        ),
      );
      await log.close();

      expect(await outputsIn(store)).toEqual(['before', 'blob', 'after', 'blob']);
      const applied: string[] = [];
      const state = await readState(
        { ...store, getBlob: async (id, hash) => (applied.push(hash), store.getBlob(id, hash)) },
        's',
      );
      expect(state.head).toBe(5);
      expect(new Set(applied).size).toBe(2);
    },
  );

  it('are read back as they were', async () => {
    const { store, log } = await opened();
    const journal = sessionJournal(log, () => undefined);
    const message = {
      id: 'm',
      createdAt: '',
      role: 'user' as const,
      content: [{ type: 'text' as const, text: '漢\uFEFF'.repeat(200_000) }],
    };
    await journal.write({ type: 'message', message });

    const { scopes } = await readState(store, 's');

    expect(scopes.get('')?.messages).toEqual([message]);
  });

  it.each<[string, (bytes: Uint8Array | undefined) => Uint8Array | undefined]>([
    ['damaged', (bytes) => bytes?.with(bytes.length - 9, 0)],
    ['cut', (bytes) => bytes?.subarray(0, 1000)],
    ['missing', () => undefined],
  ])('that are %s give a typed error naming the session (ZD24)', async (_how, damage) => {
    const { store, log } = await opened();
    await log.append([output('c', 'x'.repeat(400_000))]);
    const damaged: SessionStore = { ...store, getBlob: async (id, hash) => damage(await store.getBlob(id, hash)) };

    await expect(readState(damaged, 's')).rejects.toMatchObject({
      code: 'LOG_DAMAGED',
      message: expect.stringContaining('session s'),
    });
  });

  it('are stored before the entry that names them', async () => {
    const order: string[] = [];
    const { log } = await opened(({ append, putBlob }) => ({
      append: (...args) => (order.push('append'), append(...args)),
      putBlob: async (...args) => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('blob');
        await putBlob(...args);
      },
    }));

    await Promise.all([log.append([output('c', 'x'.repeat(400_000))]), log.append([title('a')])]);

    expect(order).toEqual(['blob', 'append', 'append']);
  });
});

describe('sessionJournal', () => {
  it('consumes what its listener names in the step that records it', async () => {
    const { store, log } = await opened();
    const consumed: unknown[] = [];
    const append = store.append;
    store.append = (id, expected, bodies, consume) => (consumed.push(consume), append(id, expected, bodies, consume));
    const journal = sessionJournal(log, (body) => (body.type === 'note' ? ['m1'] : undefined));

    await journal.write({ type: 'note', name: 'n', data: 1 });
    const at = '2026-01-01T00:00:00.000Z';
    await journal
      .child('c')
      .write({ type: 'compaction', id: 'c1', createdAt: at, summary: '', keptFrom: '', tokensBefore: 0 });

    expect(consumed).toEqual([['m1'], undefined]);
    expect((await Array.fromAsync(store.read('s'))).slice(1).map(({ body }) => body)).toMatchObject([
      { scope: [] },
      { scope: ['c'] },
    ]);
  });

  it('gives a call an id of its own when the session has used it before', async () => {
    const { log } = await opened();
    log.state.usedCallIds.add('old');
    const journal = sessionJournal(log, () => undefined);

    const ids = ['new', 'new', 'old', ''].map((id) => journal.claimCallId(id));

    expect(ids[0]).toBe('new');
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => id !== 'old' && id.length <= 40)).toBe(true);
  });
});
