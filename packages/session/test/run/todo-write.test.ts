import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore, type SessionStore, sqliteStore } from '../../src/index.ts';
import { bodiesOf, only, read, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { abandonedAt, expiring, resumed } from '../support/resumed.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'todos-'));
});
afterAll(() => rm(folder, { recursive: true }));

const todos = [
  { content: 'look', status: 'completed' },
  { content: 'mend', status: 'in_progress' },
];
const list = { name: 'TodoWrite', input: { todos } };

const stores: [string, () => SessionStore][] = [
  ['memoryStore', () => memoryStore()],
  ['sqliteStore', () => sqliteStore({ path: join(folder, 'todos.db') })],
];

describe('TodoWrite in a session', () => {
  it('runs unasked, also in plan mode, and the host sees the list in the call', async () => {
    for (const permissionMode of ['default', 'plan'] as const) {
      const script = [{ toolCalls: [list] }, { text: 'Done.' }];
      const { session } = await scriptedSession(script, { permissionMode, allowedTools: ['TodoWrite'] });

      const events = await say(session, 'Begin.');

      expect(only(events, 'tool_use')).toMatchObject([{ name: 'TodoWrite', input: { todos } }]);
      expect(only(events, 'tool_result')).toMatchObject([{ output: '[x] look\n[>] mend' }]);
      await session.close();
    }
  });

  it.each(stores)('is there again after the process has ended, with %s', async (_, open) => {
    const found: unknown[] = [];
    const work = toolNamed('work', async (_input, { run }) => void found.push(run.journal.past.note('todos')), {
      effect: 'idempotent',
    });
    const options = { store: expiring(open()), allowedTools: ['work', 'TodoWrite'] };
    const { store, sessionId } = await abandonedAt(
      [{ toolCalls: [list] }, { toolCalls: [{ name: 'work' }] }],
      work,
      options,
    );

    const { session, model } = await resumed(store, sessionId, [{ text: 'Done.' }], { tools: [work] });
    const events = await read(session);
    await session.close();

    expect(resultOf(events).subtype).toBe('success');
    expect(found).toEqual([todos]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('[>] mend');
    const records = (await bodiesOf(store, sessionId)).map((body) =>
      body.type === 'record' ? body.record : undefined,
    );
    expect(records).toContainEqual({ type: 'note', name: 'todos', data: todos });
  });
});
