import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import type { ScriptedReply } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  memoryStore,
  resumeSession,
  type SessionEvent,
  type SessionStore,
  sqliteStore,
  watchSession,
} from '../../src/index.ts';
import { isRecord, lineOf, toldRecords, untilResult } from '../support/followed.ts';
import { echoTool, read, say, scriptedProvider, scriptedSession, toolNamed } from '../support/makers.ts';
import { secondProcess } from '../support/second-process.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'followed-elsewhere-'));
});
afterAll(() => rm(folder, { recursive: true }));

const placesOf = (events: readonly SessionEvent[]) =>
  events.filter(isRecord).map(({ cursor, event }) => `${cursor} ${event.type}`);

/** What a reader does beside the runs. */
interface Reading {
  /** The run during which it comes, counted from 0, and the turns of the event loop that it waits before. */
  readonly run: number;
  readonly delay: number;
  /** Turns of the event loop that it takes for each event. */
  readonly slowness: number;
  /** Events after which it leaves, and comes again with its last cursor; 0 for one that stays. */
  readonly leavesAfter: number;
  /** Through a store of its own, as another process would. */
  readonly apart: boolean;
}
const reading: fc.Arbitrary<Reading> = fc.record({
  run: fc.integer({ min: 0, max: 2 }),
  delay: fc.integer({ min: 0, max: 40 }),
  slowness: fc.constantFrom(0, 0, 1, 5),
  leavesAfter: fc.constantFrom(0, 0, 1, 3, 7),
  apart: fc.boolean(),
});
/** Runs, each of so many calls; a run is cut at a call, and resumed. */
const runs = fc.array(fc.record({ calls: fc.integer({ min: 0, max: 4 }), isCut: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** All events that a reader is told until it has seen so many results, over all its visits. */
async function readAs(
  one: Reading,
  store: SessionStore,
  { sessionId, results }: { sessionId: string; results: number },
) {
  const seen: SessionEvent[] = [];
  let left = results;
  await turns(one.delay);
  while (left > 0) {
    const from = seen.at(-1)?.cursor;
    let visit = 0;
    for await (const event of watchSession(from === undefined ? { store, sessionId } : { store, sessionId, from })) {
      seen.push(event);
      if (event.event.type === 'result' && --left === 0) break;
      await turns(one.slowness);
      if (++visit === one.leavesAfter) break;
    }
  }
  return placesOf(seen);
}

describe.each([['memory'], ['sqlite']])('readers of random runs over the %s store', (name) => {
  test.prop([runs, fc.array(reading, { minLength: 1, maxLength: 4 })], { numRuns: 40 })(
    'are told the log from their cursor on: no gap, nothing twice, in order, whoever runs it',
    async (planned, readings) => {
      const path = join(folder, `${crypto.randomUUID()}.db`);
      const store = name === 'memory' ? memoryStore() : sqliteStore({ path });
      const apart = name === 'memory' ? store : sqliteStore({ path });
      const replies: ScriptedReply[] = planned.flatMap(({ calls }) => [
        ...Array.from({ length: calls }, () => ({ text: 'Hm.', toolCalls: [{ name: 'echo', input: { text: 'x' } }] })),
        { text: ['Do', 'ne.'] },
      ]);
      const { provider } = scriptedProvider(({ messages }) => {
        const replied = messages.filter(({ role }) => role === 'assistant').length;
        return replies[replied]!;
      });
      const options = { provider, model: 'm', store, tools: [echoTool()], allowedTools: ['echo'] };
      const { session } = await scriptedSession([], options);
      const { sessionId } = session;
      const results = planned.length;

      const readers: Promise<string[]>[] = [];
      for (const [index, { isCut }] of planned.entries()) {
        for (const one of readings)
          if (Math.min(one.run, results - 1) === index)
            readers.push(readAs(one, one.apart ? apart : store, { sessionId, results }));
        await session.send('Go.');
        if (isCut) {
          // Another handle takes the session over in the midst of the run, as another process would.
          const cut = session.stream();
          for (let events = 0; events < 4; events++) await cut.next();
          const other = await resumeSession({ ...options, sessionId, takeOver: true });
          await read(other);
          await other.close();
          await Array.fromAsync(cut).catch(() => undefined);
        } else await read(session);
      }
      const told = await Promise.all(readers);

      const expected = placesOf(await toldRecords(store, sessionId));
      expect(new Set(expected).size).toBe(expected.length);
      for (const places of told) expect(places).toEqual(expected);
      await session.close();
      for (const one of new Set([store, apart])) await one[Symbol.asyncDispose]();
    },
  );
});

describe('a reader in another process', () => {
  it('is told the records of runs that go on elsewhere, from its cursor on', async () => {
    const path = join(folder, `${crypto.randomUUID()}.db`);
    const store = sqliteStore({ path });
    const echo = { toolCalls: [{ name: 'echo', input: { text: 'x' } }] };
    const { session } = await scriptedSession([echo, { text: 'One.' }, echo, { text: 'Two.' }], {
      store,
      tools: [echoTool()],
    });
    const other = secondProcess(path, 'follower.ts', [session.sessionId]);

    const firstTold = other.send('');
    await say(session, 'Go.');
    const first = JSON.parse(await firstTold) as SessionEvent[];
    const secondTold = other.send(first.at(-1)!.cursor);
    await say(session, 'On.');
    const second = JSON.parse(await secondTold) as SessionEvent[];

    const here = await toldRecords(store, session.sessionId);
    expect([...first, ...second]).toEqual(JSON.parse(JSON.stringify(here)));
    expect(second.at(-1)?.event).toMatchObject({ type: 'result', content: 'Two.' });
    await other.close();
    await session.close();
    await store[Symbol.asyncDispose]();
  });

  it('is told the log once, over kill -9 of the process that runs the session and its end by another', async () => {
    const path = join(folder, `${crypto.randomUUID()}.db`);
    const [store, apart] = [sqliteStore({ path }), sqliteStore({ path })];
    const { session } = await scriptedSession([], { store });
    const { sessionId } = session;
    await session.send('Go.');
    await session.close();
    const told = untilResult(watchSession({ store: apart, sessionId }));
    const runner = secondProcess(path, 'runner.ts', [sessionId]);
    expect(await runner.send('run')).toBe('calls');

    await runner.kill();
    const { provider } = scriptedProvider([{ text: 'It was cut.' }]);
    const wait = toolNamed('wait', async () => 'never');
    const options = { provider, model: 'm', store, sessionId, tools: [wait], allowedTools: ['wait'] };
    const resumed = await resumeSession({ ...options, takeOver: true });
    await read(resumed);

    const lines = (await told).filter(isRecord).map(lineOf);
    expect(lines).toEqual(
      [
        ['run_started', 'user_message Go.', 'message', 'permission w', 'tool_started w'],
        ['run_resumed', 'tool_result w', 'message', 'result'],
      ].flat(),
    );
    await resumed.close();
    for (const one of [store, apart]) await one[Symbol.asyncDispose]();
  });
});
