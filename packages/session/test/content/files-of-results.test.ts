import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportSession, importSession, memoryStore, type SessionStore, sqliteStore } from '../../src/index.ts';
import { resultOf, say, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';

const PDF = Buffer.from(`%PDF-1.7 ${'x'.repeat(200_000)}`);
const file = { type: 'file', mediaType: 'application/pdf', data: PDF.toString('base64'), name: 'r.pdf' };
const reading = { toolCalls: [{ id: 'r', name: 'Read', input: { file_path: 'r.pdf' } }] };

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'x-files-'));
  await writeFile(join(cwd, 'r.pdf'), PDF);
});
afterAll(() => rm(cwd, { recursive: true }));

const STORES: readonly [string, () => SessionStore][] = [
  ['memory', memoryStore],
  ['sqlite', () => sqliteStore({ path: join(cwd, `${crypto.randomUUID()}.db`) })],
];

describe.each(STORES)('a PDF that Read has shown (%s)', (_, open) => {
  it('is in the next request, after a resume, and after an export', async () => {
    await using store = open();
    const { session, model } = await scriptedSession([reading, { text: 'Read.' }], {
      cwd,
      store,
      allowedTools: ['Read'],
    });
    await say(session, 'Read it.');
    await session.close();
    const first = await resumed(store, session.sessionId, [{ text: 'Again.' }], { cwd });
    expect(resultOf(await say(first.session, 'And again?')).subtype).toBe('success');
    await first.session.close();
    await using other = open();
    const sessionId = await importSession(exportSession(session.sessionId, { store }), { store: other });
    const moved = await resumed(other, sessionId, [{ text: 'Here too.' }], { cwd });
    await say(moved.session, 'And here?');
    await moved.session.close();

    const shown = [model.requests[1], first.model.requests[0], moved.model.requests[0]].map((request) =>
      request?.messages.flatMap((message) => (message.role === 'tool' ? message.content : [])),
    );
    const result = { name: 'Read', isError: false, files: [file] };
    expect(shown).toMatchObject([[result], [result], [result]]);
  });
});
