import { noUsage } from '@x/core';
import { describe, expect, it } from 'vitest';
import {
  type EntryBody,
  exportSession,
  type ImportOptions,
  importSession,
  memoryStore,
  type SessionStore,
} from '../src/index.ts';
import { linesOf, sealed, stored } from './exports.ts';
import { longSession } from './long-session.ts';
import { bodiesOf, codeOf, echoTool, only, read, say, scriptedSession, toolNamed } from './makers.ts';
import { record } from './random-log.ts';
import { abandoned, expiring, resumed } from './resumed.ts';
import { created, item } from './store-values.ts';

const entry = (seq: number, body: unknown, more: object = {}) =>
  `${JSON.stringify({ type: 'entry', seq, at: '2026-01-01T00:00:00.000Z', body, ...more })}\n`;
const header = (more: object = {}) =>
  `${JSON.stringify({ type: 'session_export', version: 1, format: 1, sessionId: 's1', ...more })}\n`;
const title: EntryBody = { type: 'title', title: 'T' };
const said = (message: object) => record({ type: 'message', message } as never);
const user = item('Hello.').message;
const asking = {
  ...user,
  id: 'r1',
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'c1', name: 'echo', input: {} }],
  provider: 'p',
  model: 'm',
  usage: noUsage(),
  stopReason: 'tool_use',
};
const started: EntryBody = { type: 'run_started', runId: 'run', messageId: user.id, model: 'm' };
const taken = (lines: Iterable<string>, options: ImportOptions = {}) =>
  importSession(lines, { store: memoryStore(), ...options });

/** A session with two messages of the log and one that waits, and its export. */
async function simple() {
  const { store } = await stored([created(), said(user), title], { inbox: [item('waits')] });
  return { store, lines: await linesOf(store, 's1') };
}

describe('exportSession()', () => {
  it('says in its first line what it is, has a line for each entry and each waiting message, and says in its last that it is whole', async () => {
    const { lines } = await simple();

    const parsed = lines.map((line) => JSON.parse(line) as { type: string; seq?: number });
    expect(lines.every((line) => line.endsWith('\n') && !line.slice(0, -1).includes('\n'))).toBe(true);
    expect(parsed.map(({ type, seq = '' }) => `${type}${seq}`)).toEqual([
      'session_export',
      'entry1',
      'entry2',
      'entry3',
      'inbox',
      'end',
    ]);
    expect(parsed[0]).toEqual({ type: 'session_export', version: 1, format: 1, sessionId: 's1' });
    expect(sealed(lines)).toEqual(lines);
  });

  it('needs no lease: it is taken during a run, with every message that was sent, once', async () => {
    const store = memoryStore();
    const exports: string[][] = [];
    const take = async () => void exports.push(await linesOf(store, session.sessionId));
    const { session } = await scriptedSession(
      [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, { text: 'Done.' }],
      { store, tools: [echoTool(take)] },
    );
    await session.send('one');
    await session.send('two');
    for await (const { type } of session.stream()) if (type === 'turn_start' || type === 'user_message') await take();

    const other = memoryStore();
    for (const [number, lines] of exports.entries()) {
      const text = lines.join('');
      const sessionId = await importSession(lines, { store: other, sessionId: `s${number}` });
      const again = await resumed(other, sessionId, () => ({ text: 'Done.' }), { tools: [echoTool()] });
      await read(again.session);

      expect([text.split('"text":"one"').length, text.split('"text":"two"').length]).toEqual([2, 2]);
      expect(again.session.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
    }
    expect(exports).toHaveLength(5);
  });

  it('splits what is large over many lines, and stops when its reader leaves', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: '\u{1F600}'.repeat(500_000) }], { store });
    await say(session, 'Smile.');

    const lines = await linesOf(store, session.sessionId);
    for await (const _ of exportSession(session.sessionId, { store })) break;
    const other = memoryStore();
    const again = await resumed(other, await importSession(lines, { store: other }), []);

    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1_000_000);
    expect(lines.filter((line) => line.startsWith('{"type":"blob"'))).toHaveLength(4);
    expect(again.session.messages).toEqual(session.messages);
  });

  it('refuses what is not there, and a damaged log, naming it', async () => {
    const { store } = await simple();
    const broken: EntryBody = { type: 'blob', of: 'record', sha256: 'a'.repeat(64) };
    await store.append('s1', { epoch: 0, head: 3 }, [broken]);

    expect(await codeOf(linesOf(store, 'nobody'))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(linesOf(store, '../x'))).toBe('VALIDATION_ERROR');
    await expect(linesOf(store, 's1')).rejects.toMatchObject({
      code: 'SESSION_CONFLICT',
      message: expect.stringContaining('Entry 4 of session s1'),
    });
  });
});

describe('importSession()', () => {
  it('brings a long session over, under its own id or another, and both go on', async () => {
    const { session, store } = await longSession();
    const lines = await linesOf(store, session.sessionId);
    const other = memoryStore();

    const ids = [
      await importSession(lines, { store: other }),
      await importSession(lines, { store: other, sessionId: 'copy' }),
    ];

    expect(ids).toEqual([session.sessionId, 'copy']);
    for (const sessionId of ids) {
      const again = await resumed(other, sessionId, () => ({ text: 'Over here.' }));
      expect(again.session.messages).toEqual(session.messages);
      await say(again.session, 'on');
      expect(again.session.title).toBe('one');
      expect(again.model.requests[0]?.messages.slice(0, -1)).toEqual(session.messages);
    }
    expect((await other.list()).sessions).toMatchObject([{ title: 'one' }, { title: 'one' }]);
  });

  it('takes lines with any line end, from any iterable, and skips empty ones', async () => {
    const { lines } = await simple();
    async function* slowly() {
      for (const line of lines) yield line.trimEnd();
    }

    const ids = [
      await taken(lines.map((line) => `${line.trimEnd()}\r\n`)),
      await taken([...lines, '\n', '']),
      await taken(lines.join('').split('\n')),
      await importSession(slowly(), { store: memoryStore() }),
    ];

    expect(ids).toEqual(['s1', 's1', 's1', 's1']);
  });

  it('never takes the place of a session that is there', async () => {
    const { store, lines } = await simple();

    expect(await codeOf(importSession(lines, { store }))).toBe('SESSION_EXISTS');
    expect(await linesOf(store, 's1')).toEqual(lines);
  });

  it.each<[string, number | undefined, (lines: string[]) => readonly string[]]>([
    ['nothing', 1, () => []],
    ['no header', 1, (lines) => lines.slice(1)],
    ['a foreign file', 1, () => ['{"name":"x"}\n']],
    ['something that is no JSON', 1, () => ['# Notes\n']],
    ['a byte order mark', 1, (lines) => [`\ufeff${lines[0]}`, ...lines.slice(1)]],
    ['a torn last line', 6, (lines) => lines.with(5, lines[5]!.slice(0, 40))],
    ['no end', 6, (lines) => lines.slice(0, 5)],
    ['a foreign line', 3, (lines) => lines.toSpliced(2, 0, '{"type":"other"}\n')],
    ['a list', 3, (lines) => lines.toSpliced(2, 0, '[]\n')],
    ['a missing entry', 3, (lines) => lines.toSpliced(2, 1)],
    ['an entry twice', 4, (lines) => lines.toSpliced(2, 0, lines[2]!)],
    ['entries in another order', 3, (lines) => [...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)]],
    ['an entry behind what waits', 5, (lines) => lines.toSpliced(3, 2, lines[4]!, lines[3]!)],
    ['a waiting message twice', 6, (lines) => lines.toSpliced(5, 0, lines[4]!)],
    [
      'a waiting message that is in the log',
      5,
      (lines) => lines.with(4, `${JSON.stringify({ type: 'inbox', item: { message: user, priority: 'next' } })}\n`),
    ],
    ['something behind the end', 7, (lines) => [...lines, lines[5]!]],
    ['no entries', 2, () => sealed([header()])],
    ['another first entry', 2, () => sealed([header(), entry(1, title)])],
    ['a second beginning', 3, () => sealed([header(), entry(1, created()), entry(2, created())])],
    [
      'a blob that nobody has',
      3,
      () => sealed([header(), entry(1, created()), entry(2, { type: 'blob', of: 'record', sha256: 'a'.repeat(64) })]),
    ],
    [
      'a blob with other bytes',
      4,
      () =>
        sealed([
          header(),
          entry(1, created()),
          blob('{}', 'a'.repeat(64)),
          entry(2, { type: 'blob', of: 'record', sha256: 'a'.repeat(64) }),
        ]),
    ],
    ['a blob that no entry names', 4, () => sealed([header(), entry(1, created()), blob('{}', 'a'.repeat(64))])],
    ['half a blob', 3, () => sealed([header(), blob('{}', 'a'.repeat(64), false), entry(1, created())])],
    ['a line of megabytes', 2, () => sealed([header(), entry(1, created(), { more: 'x'.repeat(2 ** 21) })])],
    [
      'an entry over a megabyte',
      3,
      () => sealed([header(), entry(1, created()), entry(2, { type: 'title', title: 'é'.repeat(2 ** 19) })]),
    ],
    [
      'an entry that is too deep',
      3,
      () =>
        sealed([
          header(),
          entry(1, created()),
          entry(2, 0).replace('"body":0', `"body":{"type":"x","a":${'['.repeat(2e5)}${']'.repeat(2e5)}}`),
        ]),
    ],
    ['no session id', 1, () => [header({ sessionId: '../../etc' })]],
    ['no version', 1, () => [header({ version: 'x' })]],
    [
      'a message before the calls of the reply before it are answered',
      5,
      () => sealed([header(), entry(1, created()), entry(2, started), entry(3, said(asking)), entry(4, said(user))]),
    ],
    ['calls that no run will answer', 4, () => sealed([header(), entry(1, created()), entry(2, said(asking))])],
    ['a changed letter', 6, (lines) => lines.with(2, lines[2]!.replace('Hello.', 'Hallo.'))],
  ])('refuses %s, naming line %s, and stores nothing', async (_, line, change) => {
    const { lines } = await simple();
    const store = memoryStore();

    const error: unknown = await importSession(change(lines), { store }).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ name: 'ValidationError', field: `line ${line}` });
    expect((await store.list()).sessions).toEqual([]);
  });

  it('refuses what a newer version has written, as that', async () => {
    const { lines } = await simple();
    const newerLog = sealed([header(), entry(1, { ...created(), format: 2 })]);
    const raised = sealed([header(), entry(1, created()), entry(2, { type: 'format_raised', format: 9 })]);

    for (const [newer, line] of [
      [[header({ version: 2 }), ...lines.slice(1)], 1],
      [newerLog, 2],
      [raised, 3],
    ] as const) {
      const error: unknown = await taken(newer).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'SESSION_CONFLICT', message: expect.stringContaining(`line ${line}`) });
    }
  });

  it('refuses what are no lines, and options that are none', async () => {
    const { lines } = await simple();

    await expect(taken(lines.join(''))).rejects.toMatchObject({ field: 'lines' });
    await expect(taken([7 as never])).rejects.toMatchObject({ field: 'line 1' });
    await expect(taken(lines, { sessionId: 'a/b' })).rejects.toMatchObject({ field: 'sessionId' });
    await expect(taken(lines, { sesionId: 'a' } as never)).rejects.toThrow(/sessionId$/);
  });

  it.each(['putBlob', 'enqueue', 'append'] as const)(
    'leaves nothing behind when the store fails in %s',
    async (method) => {
      const { store: source, lines: _ } = await simple();
      const large = said(item('x'.repeat(300_000)).message);
      const bytes = new TextEncoder().encode(JSON.stringify(large));
      const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
      await source.putBlob('s1', sha256, bytes);
      await source.append('s1', { epoch: 0, head: 3 }, [{ type: 'blob', of: 'record', sha256 }]);
      const lines = await linesOf(source, 's1');
      const store = memoryStore();
      const failing: SessionStore = { ...store, [method]: () => Promise.reject(new Error('full')) };

      await expect(importSession(lines, { store: failing })).rejects.toThrow('full');
      expect((await store.list()).sessions).toEqual([]);
      expect(await importSession(lines, { store })).toBe('s1');
    },
  );

  it('does not let an export say what was allowed: an open call is asked about again', async () => {
    const source = expiring(memoryStore());
    const asked: string[] = [];
    let stuck = true;
    const work = toolNamed('work', () => (stuck ? new Promise<string>(() => undefined) : Promise.resolve('worked')), {
      kind: 'execute',
      effect: 'pure',
    });
    const tools = [work];
    const canUseTool = async (name: string) => (asked.push(name), { behavior: 'allow' as const });
    const { session } = await scriptedSession([{ toolCalls: [{ id: 'w', name: 'work' }] }], {
      store: source,
      tools,
      canUseTool,
    });
    await session.send('Begin.');
    const stream = session.stream();
    for (let at = 0; at < 5; at += 1)
      await Promise.race([stream.next(), new Promise((resolve) => setTimeout(resolve, 5))]);
    const lines = await linesOf(source, session.sessionId);
    stuck = false;

    const other = memoryStore();
    const sessionId = await importSession(lines, { store: other });
    const options = { tools, canUseTool: async () => ({ behavior: 'deny' as const, message: 'Not here.' }) };
    const there = await resumed(other, sessionId, [{ text: 'Done.' }], options);
    const here = await resumed(source, session.sessionId, [{ text: 'Done.' }], options);

    expect(lines.join('')).toContain('permission:w');
    expect(only(await read(there.session), 'tool_result')[0]?.output).toContain('Not here.');
    expect(only(await read(here.session), 'tool_result')[0]?.output).toBe('worked');
    expect(asked).toEqual(['work']);
    expect(await bodiesOf(other, sessionId)).toContainEqual(record({ type: 'note', name: 'permission:w', data: null }));
  });
});

describe('an import under another id', () => {
  const hung = async (effect: 'pure' | 'idempotent') => {
    const { store, sessionId, keys, tools } = await abandoned(effect);
    const lines = await linesOf(store, sessionId);
    const other = memoryStore();
    const settle = async (id: string) => {
      const { session } = await resumed(other, id, [{ text: 'Done.' }], { tools });
      return only(await read(session), 'tool_result').map(({ output }) => output);
    };
    const answers = [
      await settle(await importSession(lines, { store: other })),
      await settle(await importSession(lines, { store: other, sessionId: 'copy' })),
    ];
    return { answers, keys: keys.slice(1), key: `${sessionId}:w` };
  };

  it('does not repeat a call whose service would not know it again', async () => {
    const { answers, keys, key } = await hung('idempotent');

    expect(answers[0]).toContain('worked');
    expect(answers[1]).toContainEqual(expect.stringContaining('its effect is not known'));
    expect(keys).toEqual([key]);
  });

  it('repeats a call without effects', async () => {
    const { answers, keys } = await hung('pure');

    expect(answers).toEqual([expect.arrayContaining(['worked']), expect.arrayContaining(['worked'])]);
    expect(keys).toHaveLength(2);
  });
});

it('an import into a store that mixes up what waits is refused, and undone', async () => {
  const { lines } = await stored([created()], { inbox: [item('one'), item('two')] }).then(async ({ store }) => ({
    lines: await linesOf(store, 's1'),
  }));
  const store = memoryStore();
  const inbox = async (id: string) => (await store.inbox(id)).toReversed();

  expect(await codeOf(importSession(lines, { store: { ...store, inbox } }))).toBe('STORE_FAILED');
  expect((await store.list()).sessions).toEqual([]);
});

function blob(text: string, sha256: string, last = true): string {
  return `${JSON.stringify({ type: 'blob', sha256, base64: Buffer.from(text).toString('base64'), last })}\n`;
}
