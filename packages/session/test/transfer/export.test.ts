import { describe, expect, it } from 'vitest';
import { type EntryBody, exportSession, importSession, memoryStore } from '../../src/index.ts';
import { linesOf, sealed } from '../support/exports.ts';
import { codeOf, echoTool, read, say, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { simple } from '../support/simple-export.ts';

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
      code: 'LOG_DAMAGED',
      message: expect.stringContaining('Entry 4 of session s1'),
    });
  });
});
