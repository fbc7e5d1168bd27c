import { AgentError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Hearing, Listening, OpenListening } from './listening.ts';
import { PostgresLive } from './postgres-live.ts';

/** Notifications of a server, as its connections hear them. */
class Server {
  readonly statements: string[] = [];
  connects = 0;
  /** The error with which the next statements fail. */
  fault: Error | undefined;
  readonly #connections = new Map<Hearing, Set<string>>();

  readonly open: OpenListening = async (hearing) => {
    this.connects += 1;
    if (this.fault) throw this.fault;
    const channels = new Set<string>();
    this.#connections.set(hearing, channels);
    const listening: Listening = {
      query: async (text, [names = [], texts = []] = []) => {
        this.statements.push(text);
        if (this.fault) throw this.fault;
        // safe: the values of a notification
        for (const [index, name] of (names as string[]).entries()) this.#notify(name, (texts as string[])[index]!);
        return [];
      },
      listen: async (channel) => void channels.add(channel),
      unlisten: async (channel) => void channels.delete(channel),
      close: () => void this.#connections.delete(hearing),
    };
    return listening;
  };

  /** Connections that are open. */
  get size(): number {
    return this.#connections.size;
  }

  cut(): void {
    for (const hearing of this.#connections.keys()) {
      this.#connections.delete(hearing);
      hearing.onLost(new Error('It was cut.'));
    }
  }

  #notify(channel: string, text: string): void {
    for (const [hearing, channels] of this.#connections) if (channels.has(channel)) hearing.onText(channel, text);
  }
}

const passed = () => vi.advanceTimersByTimeAsync(0);
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);
let warnings: string[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  warnings = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A process that runs sessions, and one that follows `s1`. */
async function world() {
  const server = new Server();
  const [runs, follows] = [new PostgresLive(server.open, 'a'), new PostgresLive(server.open, 'a')];
  const heard: string[] = [];
  runs.open();
  const leave = follows.subscribe('s1', (text) => heard.push(text));
  await passed();
  return { server, runs, follows, heard, leave };
}

describe('live events in Postgres', () => {
  it('have nobody who hears them some time after the last reader has left, or has ended without a word', async () => {
    const { runs, follows, leave } = await world();
    const before = [runs.isHeard('s1'), runs.isHeard('s2'), follows.isHeard('s1')];
    await seconds(60);
    const stays = runs.isHeard('s1');

    leave();
    await seconds(26);
    const left = runs.isHeard('s1');
    follows.subscribe('s2', () => undefined);
    await passed();
    const comes = runs.isHeard('s2');
    follows.close();
    await seconds(26);

    expect({ before, stays, left, comes, ended: runs.isHeard('s2') }).toEqual({
      before: [true, false, false],
      stays: true,
      left: false,
      comes: true,
      ended: false,
    });
  });

  it('are known to be heard by a process that comes later', async () => {
    const { server } = await world();
    const late = new PostgresLive(server.open, 'a');
    const ofOthers = new PostgresLive(server.open, 'b');

    for (const one of [late, ofOthers]) one.open();
    await passed();

    expect([late.isHeard('s1'), ofOthers.isHeard('s1')]).toEqual([true, false]);
  });

  it('go on after the connection was cut, with one warning; what came meanwhile is dropped', async () => {
    const { server, runs, heard } = await world();
    runs.publish('s1', 'before');
    await passed();

    server.cut();
    runs.publish('s1', 'lost');
    await seconds(6);
    runs.publish('s1', 'after');
    await passed();

    expect(heard).toEqual(['before', 'after']);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toBe('Live events do not reach other processes, nor come from them: It was cut.');
    expect([server.size, server.connects]).toEqual([2, 4]);
  });

  it('warn once while the server is away, however long', async () => {
    const server = new Server();
    server.fault = new Error('No.');
    const live = new PostgresLive(server.open, 'a');

    live.open();
    await seconds(60);

    expect([warnings.length, server.connects]).toEqual([1, 13]);
  });

  it('notice with the next statement that a connection has died without a word', async () => {
    const { server, heard, runs } = await world();
    server.fault = new Error('No answer.');
    await seconds(6);
    server.fault = undefined;
    await seconds(6);

    runs.publish('s1', 'again');
    await passed();

    expect([heard, server.size, warnings.length]).toEqual([['again'], 2, 2]);
  });

  it('keep a connection on which a statement was refused', async () => {
    const { server, runs } = await world();
    server.fault = Object.assign(new Error('Not now.'), { severity: 'ERROR' });

    runs.publish('s1', 'refused');
    await passed();

    expect([server.size, server.connects, warnings.length]).toEqual([2, 2, 1]);
  });

  it('are given up where no other try would help, such as behind a pooler', async () => {
    const server = new Server();
    server.fault = new AgentError('It is a pooler.', { code: 'STORE_FAILED' });
    const live = new PostgresLive(server.open, 'a');

    live.open();
    await seconds(60);
    live.open();
    await seconds(60);

    expect([warnings.length, server.connects]).toEqual([1, 1]);
  });

  it('wait for the statement under way, and are dropped when there are too many', async () => {
    const { server, runs, heard } = await world();
    const before = server.statements.length;

    for (let count = 0; count < 100; count++) runs.publish('s1', `${count} ${'x'.repeat(10_000)}`);
    await passed();

    const numbers = heard.map((text) => Number(text.split(' ')[0]));
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(numbers.length).toBeGreaterThan(50);
    expect(numbers.length).toBeLessThan(60);
    expect(server.statements.length - before).toBe(2);
  });

  it('leave no connection behind, nor open one after their end', async () => {
    const { server, runs, follows } = await world();
    const late = new PostgresLive(server.open, 'a');

    late.open();
    for (const one of [runs, follows, late]) one.close();
    await seconds(60);
    runs.open();
    follows.subscribe('s3', () => undefined);
    runs.publish('s1', 'too late');
    await seconds(60);

    expect([server.size, server.connects, warnings]).toEqual([0, 3, []]);
  });
});
