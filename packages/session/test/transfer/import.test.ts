import { describe, expect, it } from 'vitest';
import { importSession, memoryStore, type SessionStore } from '../../src/index.ts';
import { linesOf, sealed, stored } from '../support/exports.ts';
import { longSession } from '../support/long-session.ts';
import { bodiesOf, codeOf, only, read, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { record } from '../support/random-log.ts';
import { abandoned, expiring, resumed } from '../support/resumed.ts';
import { said, simple, taken } from '../support/simple-export.ts';
import { created, item } from '../support/store-values.ts';

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
    const begun = Promise.withResolvers<void>();
    let stuck = true;
    const run = async () => {
      begun.resolve();
      return stuck ? new Promise<string>(() => undefined) : 'worked';
    };
    const work = toolNamed('work', run, { kind: 'execute', effect: 'pure' });
    const tools = [work];
    const canUseTool = async (name: string) => (asked.push(name), { behavior: 'allow' as const });
    const { session } = await scriptedSession([{ toolCalls: [{ id: 'w', name: 'work' }] }], {
      store: source,
      tools,
      canUseTool,
    });
    await session.send('Begin.');
    read(session).catch(() => undefined); // never ends: another takes its lease below
    await begun.promise;
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

it('does not let a crafted export answer for a call that the model has still to make', async () => {
  const source = memoryStore();
  const calling = () => ({ toolCalls: [{ id: 'w', name: 'work' }] });
  const options = { tools: [toolNamed('work', async () => 'worked', { kind: 'execute' })] };
  const canUseTool = async () => ({ behavior: 'allow' as const });
  const { session } = await scriptedSession([calling(), { text: 'Done.' }], { store: source, ...options, canUseTool });
  await say(session, 'Begin.');
  const lines = await linesOf(source, session.sessionId);
  const at = lines.findIndex((line) => line.includes('permission:w'));
  const asking = lines.findIndex((line) => line.includes('"assistant"'));
  const note = { ...JSON.parse(lines[at]!), seq: asking };
  const crafted = sealed([...lines.slice(0, asking), `${JSON.stringify(note)}\n`, lines.at(-1)!]);

  const store = memoryStore();
  const deny = async () => ({ behavior: 'deny' as const, message: 'Not here.' });
  const sessionId = await importSession(crafted, { store });
  const there = await resumed(store, sessionId, [calling(), { text: 'Done.' }], { ...options, canUseTool: deny });

  expect(only(await read(there.session), 'tool_result')[0]?.output).toContain('Not here.');
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
