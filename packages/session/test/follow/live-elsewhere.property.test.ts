import { fc, test } from '@fast-check/vitest';
import { defineTool, objectSchema } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  type CustomProvider,
  createSession,
  memoryStore,
  resumeSession,
  type SessionEvent,
  type SessionStore,
  watchSession,
} from '../../src/index.ts';
import { isRecord, toldRecords } from '../support/followed.ts';
import { LiveNet, turns } from '../support/live-net.ts';
import { read } from '../support/makers.ts';
import { judgePieces } from '../support/told-pieces.ts';

/** The behaviour of a reader in another process. */
interface Reading {
  /** Turns of the event loop before it comes. */
  readonly delay: number;
  /** Turns that it takes for each event. */
  readonly slowness: number;
  /** Events after which it leaves, and comes again with its last cursor; 0 for one that stays. */
  readonly leavesAfter: number;
}
const reading: fc.Arbitrary<Reading> = fc.record({
  delay: fc.integer({ min: 0, max: 200 }),
  slowness: fc.constantFrom(0, 0, 1, 5),
  leavesAfter: fc.constantFrom(0, 0, 0, 7, 20),
});
const plan = fc.record({
  /** Runs, each of so many rounds of two subagents at once; one may be taken over by another process. */
  runs: fc.array(fc.record({ rounds: fc.integer({ min: 0, max: 2 }), isCut: fc.boolean() }), {
    minLength: 1,
    maxLength: 2,
  }),
  readings: fc.array(reading, { minLength: 1, maxLength: 3 }),
  /** Of the net, over and over. */
  ways: fc.array(fc.constantFrom(0, 0, 1, 3, 20, 'lost' as const), { minLength: 1, maxLength: 9 }),
  /** Turns between two pieces. */
  pauses: fc.array(fc.constantFrom(0, 1, 3, 12), { minLength: 1, maxLength: 5 }),
});

type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

function over<T>(values: readonly T[]): () => T {
  let next = 0;
  return () => values[next++ % values.length]!;
}

/** All events that a reader is told, visit by visit, until it has seen so many results. */
async function readAs(one: Reading, store: SessionStore, sessionId: string, results: number) {
  const visits: SessionEvent[][] = [];
  let [left, from] = [results, undefined as string | undefined];
  await turns(one.delay);
  while (left > 0) {
    const visit: SessionEvent[] = [];
    visits.push(visit);
    for await (const event of watchSession(from === undefined ? { store, sessionId } : { store, sessionId, from })) {
      visit.push(event);
      from = event.cursor;
      if (event.event.type === 'result' && --left === 0) break;
      await turns(one.slowness);
      if (visit.length === one.leavesAfter) break;
    }
  }
  return visits;
}

/** Pieces that fill a batch of live events. */
const LONG = 'very '.repeat(5_000);

/** Replies come in pieces; of the session's own agent they call two subagents at once, for so many rounds. */
function provider(rounds: readonly number[], pause: () => number): CustomProvider {
  const replies = rounds.flatMap((count) => [...Array.from({ length: count }, () => true), false]);
  const task = (id: string) => ({
    id,
    name: 'Task',
    input: { subagent_type: 'inner', description: 'Look.', prompt: 'Look.' },
  });
  const model = scriptedModel(({ instruction, messages }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    if (instruction.includes('inner agent'))
      return turn === 0
        ? { text: ['I ', 'look ', 'now.'], toolCalls: [{ id: `w${crypto.randomUUID()}`, name: 'work', input: {} }] }
        : { text: ['I ', LONG, LONG, 'have ', LONG, 'seen it.'] };
    if (replies[turn] !== true) return { text: ['All ', 'is ', 'said.'] };
    return { text: ['Two ', 'look.'], toolCalls: [task(`a${turn}`), task(`b${turn}`)] };
  });
  async function* stream(request: Parameters<typeof model.stream>[0]) {
    const events = model.stream(request);
    for (;;) {
      const step = await events.next();
      if (step.done) return step.value;
      await turns(pause());
      yield step.value;
    }
  }
  return { type: 'custom', createModel: () => ({ ...model, stream }) };
}

const work = (pause: () => number) =>
  defineTool({
    name: 'work',
    description: 'Works.',
    kind: 'readonly',
    effect: 'pure',
    inputSchema: objectSchema({}),
    async *execute() {
      for (const bit of ['bit ', 'by ', 'bit']) {
        await turns(pause());
        yield bit;
      }
    },
  });

/** Faults in the events that the readers were told. */
async function faultsOf({ runs, readings, ways, pauses }: Plan, isGapless = false): Promise<readonly string[]> {
  const net = new LiveNet(over(ways), isGapless);
  const memory = memoryStore();
  const [store, second] = [net.process(memory), net.process(memory)];
  const options = {
    provider: provider(
      runs.map(({ rounds }) => rounds),
      over(pauses),
    ),
    model: 'm',
    agents: [{ name: 'inner', description: 'Looks.', systemPrompt: 'You are the inner agent.' }],
    tools: [work(over(pauses))],
    allowedTools: ['work', 'Task'],
  };
  const session = await createSession({ ...options, store });
  const { sessionId } = session;
  const readers = readings.map((one) => readAs(one, net.process(memory), sessionId, runs.length));
  for (const { isCut } of runs) {
    await session.send('Go.');
    if (!isCut) {
      await read(session);
      continue;
    }
    const cut = session.stream();
    for (let events = 0; events < 6; events++) await cut.next();
    const other = await resumeSession({ ...options, store: second, sessionId, takeOver: true });
    await Promise.all([read(other), Array.fromAsync(cut).catch(() => undefined)]);
    await other.close();
  }
  const told = await Promise.all(readers);
  const expected = JSON.stringify(await toldRecords(memory, sessionId));
  await session.close();
  await memory[Symbol.asyncDispose]();
  return told.flatMap((visits) => [
    ...(JSON.stringify(visits.flat().filter(isRecord)) === expected ? [] : ['other records than those of the log']),
    ...visits.flatMap((visit) => judgePieces(visit).faults),
  ]);
}

describe('readers of random runs in another process, over a net that loses texts and holds them up', () => {
  test.prop([plan], { numRuns: 100 })(
    'are told the log, and before each reply nothing or its beginning',
    async (planned) => {
      expect(await faultsOf(planned)).toEqual([]);
    },
  );

  it('are told texts with gaps by a net that hides what it has lost, which is noticed', async () => {
    const property = fc.asyncProperty(plan, async (planned) => (await faultsOf(planned, true)).length === 0);

    expect((await fc.check(property, { numRuns: 300, endOnFailure: true })).failed).toBe(true);
  });
});
