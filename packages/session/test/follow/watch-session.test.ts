import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feedOf } from '../../src/follow/feed.ts';
import {
  deleteSession,
  memoryStore,
  type SessionEvent,
  type SessionStore,
  sqliteStore,
  watchSession,
} from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { followed, isRecord, lineOf, toldRecords, untilResult } from '../support/followed.ts';
import { codeOf, echoTool, read, say, scriptedSession } from '../support/makers.ts';
import { slow } from '../support/slow-store.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'followed-'));
});
afterAll(() => rm(folder, { recursive: true }));

const sqlite = () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) });
const directory = () => sqliteStore({ directory: join(folder, crypto.randomUUID()) });
/** A store of somebody else, that cannot say whether anything has changed. */
function blind(): SessionStore {
  const { changes: _, ...rest } = memoryStore();
  return rest;
}

/** A store that counts how often it is read. */
function counted(): { readonly store: SessionStore; readonly reads: () => number } {
  const inner = memoryStore();
  let reads = 0;
  const read: SessionStore['read'] = (...range) => {
    reads += 1;
    return inner.read(...range);
  };
  return { store: { ...inner, read }, reads: () => reads };
}

const script = () =>
  cast({
    main: [
      { text: ['Let me ', 'see.'], toolCalls: [{ id: 'c', name: 'echo', input: { text: 'hello' } }] },
      { toolCalls: [task('helper', 't')] },
      { text: 'Done.' },
    ],
    helper: [{ text: 'Hm.', toolCalls: [{ id: 'h', name: 'echo', input: { text: 'inside' } }] }, { text: 'Helped.' }],
  });
const make = (store: SessionStore) =>
  scriptedSession(script(), {
    store,
    tools: [echoTool()],
    agents: agentsNamed('helper'),
    allowedTools: ['Task', 'echo'],
  });

const RECORDS = [
  ['run_started', 'user_message Begin.', 'message', 'permission c', 'tool_started c', 'tool_result c'],
  ['message', 'permission t', 'tool_started t', 't/user_message Work, helper.', 't/message'],
  ['t/permission h', 't/tool_started h', 't/tool_result h', 't/message', 'tool_result t', 'message', 'result'],
].flat();

it('is told a run of the same process without reading it: not a read for each record', async () => {
  const alone = counted();
  await say((await make(alone.store)).session, 'Begin.');
  const { store, reads } = counted();
  const { session } = await make(store);

  const seen = await followed(session, () => say(session, 'Begin.'));

  expect(seen.filter(isRecord).map(lineOf)).toEqual(RECORDS);
  expect(reads() - alone.reads()).toBeLessThan(RECORDS.length / 2);
});

describe.each([
  ['memory', memoryStore],
  ['sqlite', sqlite],
  ['directory', directory],
  ['blind', blind],
  ['slow', slow],
])('the events of a session over the %s store', (_name, store) => {
  it('tell each record once and in order, to those who were there and to those who come later', async () => {
    const { session } = await make(store());

    const seen = await followed(session, () => say(session, 'Begin.'));
    const later = await untilResult(session.events());

    const records = seen.filter(isRecord);
    expect(records.map(lineOf)).toEqual(RECORDS);
    expect(later.map(({ at: _, ...rest }) => rest)).toEqual(records.map(({ at: _, ...rest }) => rest));
    await session.close();
  });

  it('tell live events where they belong: pieces of a reply before its record', async () => {
    const { session } = await make(store());

    const seen = (await followed(session, () => say(session, 'Begin.'))).map(lineOf);

    const live = seen.filter((line) => /content|turn_|usage/.test(line));
    expect(live).toEqual(
      [
        ['turn_start', 'content Let me ', 'content see.', 'usage', 'turn_end', 'turn_start', 'usage'],
        ['t/turn_start', 't/content Hm.', 't/usage', 't/turn_end'],
        ['t/turn_start', 't/content Helped.', 't/usage', 't/turn_end'],
        ['turn_end', 'turn_start', 'content Done.', 'usage', 'turn_end'],
      ].flat(),
    );
    expect(seen.indexOf('content see.')).toBeLessThan(seen.indexOf('message'));
    expect(seen.indexOf('t/content Hm.')).toBeGreaterThan(seen.indexOf('tool_started t'));
    expect(seen.indexOf('t/content Hm.')).toBeLessThan(seen.indexOf('t/message'));
    await session.close();
  });

  it('go on from the cursor of any event, of a record or a live one, with exactly what follows', async () => {
    const used = store();
    const { session } = await make(used);
    const seen = await followed(session, () => say(session, 'Begin.'));
    const records = seen.filter(isRecord);

    const faults: string[] = [];
    for (const [index, { cursor }] of seen.slice(0, -1).entries()) {
      const rest = await toldRecords(used, session.sessionId, cursor);
      const expected = seen.slice(index + 1).filter(isRecord);
      const isSame = JSON.stringify(withoutTimes(rest)) === JSON.stringify(withoutTimes(expected));
      if (!isSame) faults.push(`${index}: ${rest.map(lineOf).join()}`);
    }

    expect(records).toHaveLength(RECORDS.length);
    expect(faults).toEqual([]);
    await session.close();
  });

  it('end with the signal, with the session and, as an error, with its deletion', async () => {
    const used = store();
    const { session } = await make(used);
    const { sessionId } = session;
    await say(session, 'Begin.');
    const leaving = new AbortController();
    const readers = [
      session.events({ signal: leaving.signal }),
      session.events(),
      watchSession({ store: used, sessionId }),
    ];
    for (const reader of readers) for (const _ of RECORDS) await reader.next();
    const [left, closed, deleted] = readers.map((reader) => reader.next());
    deleted?.catch(() => undefined);

    leaving.abort();
    expect(await left).toEqual({ done: true, value: undefined });
    await session.close();
    expect(await closed).toEqual({ done: true, value: undefined });
    await deleteSession(sessionId, { store: used });

    expect(await codeOf(deleted!)).toBe('SESSION_NOT_FOUND');
    expect(feedOf(used, sessionId)).toBeUndefined();
  });
});

const withoutTimes = (events: readonly SessionEvent[]) => events.map(({ at: _, ...rest }) => rest);

describe('an envelope', () => {
  it('says where its event belongs', async () => {
    const { session } = await make(memoryStore());
    const before = Date.now();

    const seen = await followed(session, () => say(session, 'Begin.'));

    const [started, asked] = seen.filter(isRecord);
    const runId = started?.runId;
    const messageId = session.messages[0]?.id;
    expect(started).toMatchObject({
      sessionId: session.sessionId,
      messageId,
      agentPath: [],
      event: { runId, messageId },
    });
    expect(asked).toMatchObject({ runId, messageId, event: { type: 'user_message', messageId } });
    const result = seen.find((one) => lineOf(one) === 't/tool_result h');
    const event = { type: 'tool_result', id: 'h', name: 'echo', output: 'inside', isError: false };
    expect(result).toMatchObject({ runId, agentPath: ['t'], callId: 'h', event });
    expect(seen.at(-1)?.event).toMatchObject({
      subtype: 'success',
      content: 'Done.',
      turns: 3,
      model: 'scripted',
      messageId,
    });
    expect(seen.every(({ at }) => at >= before && at <= Date.now())).toBe(true);
    await session.close();
  });

  it('has the facts of a failure in its result, and no content', async () => {
    const { session } = await scriptedSession([{ error: new TypeError('It broke') }]);

    const seen = await followed(session, () => say(session, 'Begin.'));

    expect(seen.at(-1)?.event).toMatchObject({ type: 'result', subtype: 'error', error: 'It broke' });
    expect(seen.at(-1)?.event).not.toHaveProperty('content');
    expect(seen.map(lineOf)).not.toContain('error');
    await session.close();
  });
});

describe('readers', () => {
  it('change nothing for the run, nor for each other: one leaves, one is slow, one never asks again', async () => {
    const turns = 40;
    const calls = Array.from({ length: turns }, (_, at) => ({
      toolCalls: [{ id: `c${at}`, name: 'echo', input: { text: '' } }],
    }));
    const { session } = await scriptedSession([...calls, { text: 'Done.' }], { tools: [echoTool()] });
    const stuck = session.events();
    void stuck.next();
    const leaving = session.events();
    void leaving.next().then(() => leaving.return());
    const slow = session.events();
    const slowlySeen: SessionEvent[] = [];
    const slowly = (async () => {
      for await (const event of slow) {
        slowlySeen.push(event);
        await new Promise((resolve) => setTimeout(resolve, 2));
        if (event.event.type === 'result') break;
      }
    })();

    const seen = await followed(session, () => say(session, 'Begin.'));
    await slowly;

    expect(seen.filter(isRecord)).toHaveLength(2 + turns * 4 + 2);
    expect(slowlySeen.filter(isRecord).map(({ cursor }) => cursor)).toEqual(
      seen.filter(isRecord).map(({ cursor }) => cursor),
    );
    await stuck.return();
    await session.close();
  });

  it('are told nothing of a run that nobody follows: it makes no event for them', async () => {
    const store = memoryStore();
    const { session } = await make(store);
    await say(session, 'Begin.');

    expect(feedOf(store, session.sessionId)).toBeUndefined();
    await session.close();
  });

  it('may leave while they wait for what never comes', async () => {
    const { session } = await make(memoryStore());
    const events = session.events();
    const waiting = events.next();

    await events.return();

    expect(await waiting).toEqual({ done: true, value: undefined });
    await session.close();
  });

  it('may drive the run themselves, besides', async () => {
    const { session } = await make(memoryStore());
    await session.send('Begin.');

    const [streamed, seen] = await Promise.all([read(session), untilResult(session.events())]);

    expect(streamed.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    expect(seen.filter(isRecord).map(lineOf)).toEqual(RECORDS);
    await session.close();
  });
});
