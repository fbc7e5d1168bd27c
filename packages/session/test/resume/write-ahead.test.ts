import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionEntry, type SessionStore, sqliteStore } from '../../src/index.ts';
import { echoTool } from '../support/makers.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-ahead-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function recordsIn(store: SessionStore, sessionId: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { body } of store.read(sessionId)) if (body.type === 'record') found.push(nameOf(body));
  return found;
}

function nameOf({ record }: Extract<SessionEntry['body'], { type: 'record' }>): string {
  if (record.type === 'note') return `note ${record.name}`;
  return 'callId' in record ? `${record.type} ${record.callId}` : record.type;
}

/** A run of two turns with three parallel calls; what the tools and the model find in the store when they are called. */
async function foundDuringRun(store: SessionStore) {
  const atTool: string[][] = [];
  const atModel: string[][] = [];
  let sessionId = '';
  const echo = echoTool(async () => {
    const place = atTool.push([]) - 1; // the calls begin in order; their reads may end in another
    atTool[place] = await recordsIn(store, sessionId);
  });
  const toolCalls = ['a', 'b', 'c'].map((id) => ({ id, name: 'echo', input: { text: id } }));
  const inner = scriptedModel([{ toolCalls }, { text: 'Done.' }]);
  const model: Model = {
    ...inner,
    async *stream(request) {
      atModel.push(await recordsIn(store, sessionId));
      return yield* inner.stream(request);
    },
  };
  const session = await createSession({
    provider: { type: 'custom', createModel: () => model },
    model: 'm',
    store,
    tools: [echo],
  });
  sessionId = session.sessionId;
  await session.send('Begin.');
  for await (const _ of session.stream()) continue;
  await session.close();
  return { atTool, atModel };
}

describe.each([
  ['memory', () => memoryStore()],
  ['sqlite', () => sqliteStore({ path: join(folder, 'sessions.db') })],
])('write-ahead in the %s store', (_name, make) => {
  it('finds tool_started of each call, and the reply and the decision before it, when the tool begins', async () => {
    const store = make();

    const { atTool } = await foundDuringRun(store);

    expect(atTool).toHaveLength(3);
    for (const found of atTool)
      expect(found.slice(0, 4)).toEqual(['message', 'message', 'note permission:a', 'tool_started a']);
    ['a', 'b', 'c'].forEach((id, index) => expect(atTool[index]).toContain(`tool_started ${id}`));
    await store[Symbol.asyncDispose]();
  });

  it('finds every tool_finished before the next model call', async () => {
    const store = make();

    const { atModel } = await foundDuringRun(store);

    expect(atModel[1]).toEqual(expect.arrayContaining(['tool_finished a', 'tool_finished b', 'tool_finished c']));
    await store[Symbol.asyncDispose]();
  });
});

it('a store that acknowledges before it records is noticed', async () => {
  const real = memoryStore();
  const late: SessionStore = {
    ...real,
    append: async (sessionId, expected, entries, consume) => {
      setTimeout(() => void real.append(sessionId, expected, entries, consume).catch(() => undefined), 5);
      return expected.head + entries.length;
    },
  };

  const { atTool } = await foundDuringRun(late);

  expect(atTool[0]).not.toContain('tool_started a');
});
