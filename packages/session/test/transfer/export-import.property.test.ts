import { fc, test } from '@fast-check/vitest';
import { isAgentError, type Message } from '@x/core';
import { describe, expect, it } from 'vitest';
import { type EntryBody, importSession, memoryStore, type SessionStore } from '../../src/index.ts';
import { contentOf, inBlob, linesOf, sealed, stored } from '../support/exports.ts';
import { read, say } from '../support/makers.ts';
import { randomLog, record } from '../support/random-log.ts';
import { resumed } from '../support/resumed.ts';
import { item } from '../support/store-values.ts';

const inbox = fc.array(
  fc.record({ text: fc.string(), priority: fc.constantFrom('now', 'next', 'later'), turns: fc.option(fc.nat(9)) }),
  { maxLength: 3 },
);
const waiting = (items: typeof inbox extends fc.Arbitrary<infer T> ? T : never) =>
  items.map(({ text, priority, turns }) =>
    item(text, { priority, ...(turns === null ? {} : { maxTurns: turns + 1 }) }),
  );
const facts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('title' as const), title: fc.string() }),
    fc.record({ type: fc.constant('metadata' as const), metadata: fc.dictionary(fc.string(), fc.string()) }),
    fc.record({ type: fc.constant('from_the_future'), data: fc.jsonValue() }) as never as fc.Arbitrary<EntryBody>,
    fc.jsonValue().map((data) => record({ type: 'note', name: 'n', data })),
  ),
  { maxLength: 4 },
);

describe('exportSession() and importSession()', () => {
  test.prop([randomLog, facts, inbox, fc.nat()], { numRuns: 60 })(
    'give an equal log, with what is stored beside it and what waits',
    async (log, more, items, dice) => {
      const store = memoryStore();
      const { sessionId } = await stored(log.slice(0, 1), { store, inbox: waiting(items) });
      const others = [...log.slice(1, 1 + (dice % log.length)), ...more]; // also one that a crash has cut
      const bodies = await Promise.all(
        others.map((body, index) =>
          (index + dice) % 5 === 0 ? inBlob(store, sessionId, body) : Promise.resolve(body),
        ),
      );
      await store.append(sessionId, { epoch: 0, head: 1 }, bodies);

      const lines = await linesOf(store, sessionId);
      const other = memoryStore();
      const id = await importSession(dice % 2 ? lines : lines.map((line) => line.trimEnd()), { store: other });

      const copy = await contentOf(other, id);
      expect(id).toBe(sessionId);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(await contentOf(store, sessionId)));
      expect((await linesOf(other, id)).map(withoutTime)).toEqual(lines.map(withoutTime));
    },
  );
});

const withoutTime = (line: string) => line.replace(/"at":"[^"]*"/, '').replace(/^\{"type":"end".*/s, '');

/** A short log with one of everything, blob included. */
async function sample(): Promise<{ store: SessionStore; lines: string[] }> {
  const store = memoryStore();
  const [log] = fc.sample(
    randomLog.filter((one) => one.length > 12 && one.length < 40),
    { numRuns: 1, seed: 7 },
  );
  const { sessionId } = await stored(log!.slice(0, 1), { store, inbox: [item('waits', { maxTurns: 2 })] });
  const blob = await inBlob(store, sessionId, log!.at(-2)!);
  const bodies: EntryBody[] = [{ type: 'metadata', metadata: { a: 'b' } }, ...log!.slice(1, -2), blob, log!.at(-1)!];
  await store.append(sessionId, { epoch: 0, head: 1 }, bodies);
  return { store, lines: await linesOf(store, sessionId) };
}
const { store: original, lines } = await sample();
const text = lines.join('');
const whole = await contentOf(original, 's1');

interface Outcome {
  /** The code of the refusal; undefined when the session was imported, and for what is no error of the SDK. */
  readonly code: string | undefined;
  readonly sessions: readonly string[];
}

async function outcomeOf(from: readonly string[], store: SessionStore): Promise<Outcome> {
  const error: unknown = await importSession(from, { store }).catch((reason: unknown) => reason);
  const sessions = (await store.list()).sessions.map(({ sessionId }) => sessionId);
  return { code: isAgentError(error) ? error.code : undefined, sessions };
}

/** A typed refusal that leaves nothing behind, or one session. */
const isSound = ({ code, sessions }: Outcome) =>
  code === undefined ? sessions.length === 1 : sessions.length === 0 && REFUSALS.includes(code);
const REFUSALS = ['VALIDATION_ERROR', 'LOG_TOO_NEW'];

const change = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'drop', 'repeat', 'insert'),
  at: fc.nat(),
  by: fc.nat(254),
});

describe('importSession() of a damaged export', () => {
  test.prop([fc.array(change, { minLength: 1, maxLength: 3 })], { numRuns: 60 })(
    'refuses it with a typed error, or the bytes mean the same',
    async (changes) => {
      let bytes: Buffer = Buffer.from(text);
      for (const one of changes) bytes = changed(bytes, one);
      const store = memoryStore();

      const outcome = await outcomeOf(bytes.toString('utf8').split('\n'), store);

      const kept = await Promise.all(outcome.sessions.map((sessionId) => contentOf(store, sessionId)));
      expect(isSound(outcome)).toBe(true);
      expect(kept).toEqual(kept.map(() => whole));
    },
  );

  test.prop([fc.nat(), fc.nat(), fc.jsonValue()], { numRuns: 100 })(
    'refuses values that do not belong there, or has a session that can be resumed, run and exported',
    async (which, where, value) => {
      const at = which % (lines.length - 1);
      const line = replaced(JSON.parse(lines[at]!), where, value);
      const store = memoryStore();

      const outcome = await outcomeOf(sealed(lines.with(at, `${JSON.stringify(line)}\n`)), store);

      expect(isSound(outcome)).toBe(true);
      const [sessionId] = outcome.sessions;
      if (sessionId === undefined) return;
      const { session } = await resumed(store, sessionId, () => ({ text: 'Done.' }), { cwd: '/tmp' });
      const messages: readonly Message[] = session.messages;
      await read(session);
      await say(session, 'On.');
      await session.usage();
      expect(session.messages.length).toBeGreaterThan(messages.length);
      expect((await linesOf(store, sessionId)).length).toBeGreaterThan(lines.length);
    },
  );

  it('is told apart from the sound one, which is taken', async () => {
    expect(await outcomeOf(lines, memoryStore())).toEqual({ code: undefined, sessions: ['s1'] });
    expect(await outcomeOf(sealed(lines), memoryStore())).toEqual({ code: undefined, sessions: ['s1'] });
    expect((await outcomeOf(lines.slice(1), memoryStore())).code).toBe('VALIDATION_ERROR');
  });
});

function changed(bytes: Buffer, { kind, at, by }: { kind: string; at: number; by: number }): Buffer {
  const place = at % bytes.length;
  const [before, behind] = [bytes.subarray(0, place), bytes.subarray(place)];
  if (kind === 'cut') return before.length > 0 ? before : bytes;
  if (kind === 'drop') return Buffer.concat([before, behind.subarray(by)]);
  if (kind === 'repeat') return Buffer.concat([before, behind.subarray(0, by), behind]);
  if (kind === 'insert') return Buffer.concat([before, Buffer.from([by]), behind]);
  const copy = Buffer.from(bytes);
  copy[place] = (copy[place]! + 1 + by) % 256;
  return copy;
}

/** One value somewhere inside, counted through, is another; or a key is gone. */
function replaced(line: unknown, where: number, value: unknown): unknown {
  const places: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  const visit = (holder: unknown) => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const key of Object.keys(holder)) {
      places.push({ holder: holder as Record<string, unknown>, key });
      visit((holder as Record<string, unknown>)[key]);
    }
  };
  visit(line);
  const { holder, key } = places[where % places.length]!;
  if (where % 7 === 0) delete holder[key];
  else holder[key] = value;
  return line;
}
