import { fc, test } from '@fast-check/vitest';
import type { SendPriority, Tool } from '@x/core';
import { describe, expect, it } from 'vitest';
import { type ISession, memoryStore, type SessionStore } from '../../src/index.ts';
import { echoTool, faultsOf, read, scriptedSession, toolNamed } from '../support/makers.ts';

const priority = fc.constantFrom<SendPriority>('now', 'next', 'later');
/** After which event, or inside which tool call, a message is sent. */
const steering = fc.record({
  at: fc.integer({ min: 0, max: 30 }),
  from: fc.constantFrom('reader', 'tool', 'unawaited'),
  priority,
});
const calls = fc.array(fc.constantFrom('echo', 'send', 'slow'), { maxLength: 3 });
const ending = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ how: 'stay', at: 0 }) },
  fc.record({ how: fc.constantFrom('abort', 'break'), at: fc.nat(20) }),
);

interface Schedule {
  readonly steerings: readonly { at: number; from: string; priority: SendPriority }[];
  readonly turns: readonly (readonly string[])[];
  readonly ending: { how: string; at: number };
  readonly maxTurns: number;
}

/** Sends what the schedule says, when it says so. */
class Sender {
  readonly pending: Promise<unknown>[] = [];
  session: ISession | undefined;
  #step = 0;
  readonly #waiting: Schedule['steerings'][number][];
  #sent = 0;

  constructor(steerings: Schedule['steerings']) {
    this.#waiting = [...steerings];
  }

  get sent(): string[] {
    return Array.from({ length: this.#sent }, (_, index) => `m${index}`);
  }

  async step(place: 'reader' | 'tool'): Promise<void> {
    this.#step += 1;
    const due = this.#waiting.filter(
      ({ at, from }) => at <= this.#step && (from === 'tool' ? 'tool' : 'reader') === place,
    );
    for (const one of due) {
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      const sending = this.send(one.priority);
      if (one.from !== 'unawaited') await sending;
    }
  }

  send(priorityOf: SendPriority): Promise<unknown> {
    const sending = this.session!.send(`m${this.#sent++}`, { priority: priorityOf });
    this.pending.push(sending);
    return sending;
  }
}

/** Plays the schedule, then reads runs until nothing waits; what the log holds of the messages. */
async function played({ steerings, turns, ending: { how, at }, maxTurns }: Schedule) {
  const sender = new Sender(steerings);
  const tools: Tool[] = [
    echoTool(),
    toolNamed('send', () => sender.step('tool').then(() => 'sent'), { kind: 'readonly' }),
    toolNamed('slow', () => new Promise((resolve) => setImmediate(() => resolve('slow'))), { kind: 'readonly' }),
  ];
  const script = (_: unknown, turn: number) => ({
    text: ['a', 'b'],
    toolCalls: (turns[turn - 1] ?? []).map((name) => ({ name, input: name === 'echo' ? { text: 'e' } : {} })),
  });
  const store = memoryStore();
  const { session } = await scriptedSession(script, { tools, maxTurns, store });
  sender.session = session;
  await sender.send('next');
  let seen = 0;
  for await (const _ of session.stream()) {
    await sender.step('reader');
    if (seen++ !== at || how === 'stay') continue;
    if (how === 'break') break;
    session.abort();
  }
  await Promise.all(sender.pending);
  for (let runs = 0; (await store.inbox(session.sessionId)).length > 0 && runs < 20; runs++) await read(session);
  const delivered = session.messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  await session.close();
  return {
    sent: sender.sent,
    delivered: delivered.map((block) => (block.type === 'text' ? block.text : '')),
    faults: faultsOf(session.messages),
  };
}

describe('send()', () => {
  const schedule: fc.Arbitrary<Schedule> = fc.record({
    steerings: fc.array(steering, { maxLength: 6 }),
    turns: fc.array(calls, { maxLength: 4 }),
    ending,
    maxTurns: fc.integer({ min: 1, max: 5 }),
  });

  test.prop([schedule], { numRuns: 1000 })(
    'delivers every message exactly once, in this run or the next (S29)',
    async (one) => {
      const { sent, delivered, faults } = await played(one);

      expect(delivered.toSorted()).toEqual(sent.toSorted());
      expect(faults).toEqual([]);
    },
  );

  const patient = schedule.map((one) => ({
    ...one,
    steerings: one.steerings.map((each) => ({ ...each, priority: 'next' as const })),
  }));

  test.prop([patient], { numRuns: 200 })(
    'delivers messages of one priority in the order they were sent',
    async (one) => {
      const { sent, delivered } = await played(one);

      expect(delivered).toEqual(sent);
    },
  );

  it('a store that loses or repeats a message is noticed', async () => {
    const store = memoryStore();
    const forgetful: SessionStore = { ...store, append: (id, head, entries) => store.append(id, head, entries) };
    const { session } = await scriptedSession(() => ({ text: 'Done.' }), { store: forgetful, maxTurns: 1 });
    await session.send('m0');

    await read(session);
    await read(session);

    expect(session.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  });
});
