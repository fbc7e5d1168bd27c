import { AgentError, type AgentEvent } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore, type SessionStore } from '../../src/index.ts';
import { bodiesOf, codeOf, faultsOf, read, resultOf, scriptedSession, toolNamed } from '../support/makers.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

type Method = 'create' | 'acquire' | 'append' | 'release' | 'enqueue' | 'putBlob' | 'renew' | 'inbox';

/** A store whose methods, those named, find a lock while it is held. */
function lockable(...methods: Method[]) {
  const lock = { isHeld: false, holdFor };
  function holdFor(ms: number) {
    lock.isHeld = true;
    setTimeout(() => (lock.isHeld = false), ms);
  }
  const inner = memoryStore();
  const locked = methods.map((method) => {
    const act = inner[method] as (...args: never[]) => Promise<unknown>;
    const tried = async (...args: never[]) => {
      if (lock.isHeld) throw new AgentError('database is locked', { code: 'STORE_FAILED', retryable: true });
      return await act(...args);
    };
    return [method, tried];
  });
  return { lock, inner, store: { ...inner, ...Object.fromEntries(locked) } as SessionStore };
}

/** What the work comes to, with all the time that it needs. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => (isSettled = true);
  work.then(settle, settle);
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return await work;
}

const PAY = { toolCalls: [{ name: 'pay', input: {} }] };
/** Pays, and the store becomes locked. */
function paying(lock: { holdFor(ms: number): void }, ms: number) {
  const paid: string[] = [];
  const pay = toolNamed('pay', async () => {
    lock.holdFor(ms);
    return `receipt ${paid.push('paid')}`;
  });
  return { pay, paid };
}

describe('a store that is slow for 20 seconds', () => {
  it('ends no run, loses no result and leaves the session free', async () => {
    const { lock, store, inner } = lockable('create', 'acquire', 'append', 'release', 'enqueue', 'renew', 'inbox');
    const { pay, paid } = paying(lock, 20_000);
    const seen: AgentEvent[] = [];
    const handlers = [{ name: 'seeing', onEvent: (event: AgentEvent) => void seen.push(event) }];
    lock.holdFor(20_000);
    const { session } = await inTime(scriptedSession([PAY, { text: 'Paid.' }], { store, tools: [pay], handlers }));

    lock.holdFor(20_000);
    const { status } = await inTime(session.send('Pay.'));
    lock.holdFor(20_000);
    const events = await inTime(read(session));

    expect([status, resultOf(events).subtype, paid]).toEqual(['started', 'success', ['paid']]);
    expect(JSON.stringify(session.messages)).toContain('receipt 1');
    expect(faultsOf(session.messages)).toEqual([]);
    expect((await bodiesOf(inner, session.sessionId)).at(-1)).toMatchObject({ type: 'run_ended', subtype: 'success' });
    expect(await inner.acquire(session.sessionId, 'other', 1000)).toBeDefined();
    expect(session.diagnosis().checks).toMatchObject([
      { name: 'store_slow', detail: expect.stringContaining('is locked') },
    ]);
    expect(seen.filter((event) => event.type === 'notification')).toMatchObject([
      { kind: 'store_slow' },
      { kind: 'store_slow' },
    ]);
    await session.close();
  });

  it('tells the observers while a tool is still at work', async () => {
    const { lock, store } = lockable('renew');
    const gate = Promise.withResolvers<string>();
    const kinds: string[] = [];
    const onEvent = (event: AgentEvent) => void (event.type === 'notification' && kinds.push(event.kind));
    const { session } = await scriptedSession([PAY, { text: 'Paid.' }], {
      store,
      tools: [toolNamed('pay', () => gate.promise)],
      handlers: [{ name: 'seeing', onEvent }],
    });
    await session.send('Pay.');
    const reading = read(session);
    await vi.advanceTimersByTimeAsync(10);

    lock.holdFor(20_000);
    await vi.advanceTimersByTimeAsync(10_000);
    const told = [...kinds];
    await vi.advanceTimersByTimeAsync(20_000);
    gate.resolve('receipt');

    expect(told).toEqual(['store_slow']);
    expect(resultOf(await reading).subtype).toBe('success');
    await session.close();
  });

  it('ends the run when it outlasts the lease', async () => {
    const { lock, store } = lockable('append', 'renew', 'release');
    const { pay } = paying(lock, 70_000);
    const { session } = await scriptedSession([PAY, { text: 'Paid.' }], { store, tools: [pay] });
    await session.send('Pay.');

    const events = await inTime(read(session));

    expect(resultOf(events)).toMatchObject({ subtype: 'error', error: 'database is locked' });
    await session.close();
  });
});

describe('send to a slow store', () => {
  it('is refused after 30 seconds, and the message is not there', async () => {
    const { lock, store, inner } = lockable('enqueue');
    const { session } = await scriptedSession([], { store });

    lock.holdFor(60_000);
    const code = await inTime(codeOf(session.send('Hello.')));

    expect(code).toBe('STORE_FAILED');
    expect(await inner.inbox(session.sessionId)).toEqual([]);
  });

  it('is refused when its signal is aborted', async () => {
    const { lock, store, inner } = lockable('enqueue');
    const { session } = await scriptedSession([], { store });
    const abort = new AbortController();
    lock.holdFor(60_000);

    const sending = codeOf(session.send('Hello.', { signal: abort.signal }));
    await vi.advanceTimersByTimeAsync(100);
    abort.abort();

    expect(await sending).toBe('STORE_FAILED');
    expect(await inner.inbox(session.sessionId)).toEqual([]);
  });

  it('keeps the order of what is sent', async () => {
    const { lock, store, inner } = lockable('enqueue');
    const { session } = await scriptedSession([], { store });
    lock.holdFor(8_000);

    const sending = Promise.all(['a', 'b', 'c'].map((text) => session.send(text)));
    await inTime(sending);

    const waiting = (await inner.inbox(session.sessionId)).map(({ message }) => JSON.stringify(message.content));
    expect(waiting.map((text) => /"text":"(.)"/.exec(text)?.[1])).toEqual(['a', 'b', 'c']);
  });
});

describe('a run that waits for a slow store', () => {
  it.each(['abort', 'close'] as const)('is over at once after %s()', async (how) => {
    const { lock, store } = lockable('append', 'renew', 'release');
    const { pay } = paying(lock, 60_000);
    const { session } = await scriptedSession([PAY, { text: 'Paid.' }], { store, tools: [pay] });
    await session.send('Pay.');
    const reading = read(session);
    await vi.advanceTimersByTimeAsync(3_000);

    await session[how]();
    const result = resultOf(await reading); // no further timer is needed

    expect(result).toMatchObject({ subtype: 'error', error: 'database is locked' });
    await session.close();
  });

  it('is over at once after abort() when a message is on its way to the store', async () => {
    const { lock, store } = lockable('enqueue');
    const { session } = await scriptedSession([{ text: 'Hello.' }], { store });
    await session.send('Hello.');
    lock.holdFor(60_000);
    const stream = session.stream();
    await stream.next();
    const sending = codeOf(session.send('More.'));
    await vi.advanceTimersByTimeAsync(100);

    session.abort();
    const events = await Array.fromAsync(stream);
    await vi.advanceTimersByTimeAsync(32_000);

    expect(resultOf(events).type).toBe('result');
    expect(await sending).toBe('STORE_FAILED');
    await session.close();
  });
});
