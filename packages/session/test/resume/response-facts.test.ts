import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModel } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createSession,
  exportSession,
  type ISession,
  importSession,
  memoryStore,
  resumeSession,
  type SessionOptions,
  sqliteStore,
} from '../../src/index.ts';
import { say } from '../support/makers.ts';

const FACTS = {
  cost: 0.25,
  logprobs: [{ token: 'Done.', logprob: -0.5, top: [{ token: 'Done.', logprob: -0.5 }] }],
  response: {
    id: 'r-1',
    model: 'the-model-2026',
    stopReason: 'stop',
    serviceTier: 'flex',
    requestId: 'req-1',
    limits: {
      requests: { limit: 60, remaining: 59, resetAt: '2026-11-28T18:00:00.000Z' },
      inputTokens: { remaining: 7 },
    },
  },
};
/** A model whose service says something of its reply. */
const provider: SessionOptions['provider'] = {
  type: 'custom',
  createModel: () => {
    const model = scriptedModel([{ text: 'Done.' }]);
    return {
      ...model,
      async *stream(request) {
        return { ...(yield* model.stream(request)), ...FACTS };
      },
    };
  },
};
const factsIn = ({ messages }: Pick<ISession, 'messages'>) =>
  messages.flatMap((one) =>
    one.role === 'assistant' ? [{ cost: one.cost, logprobs: one.logprobs, response: one.response }] : [],
  );

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'response-facts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('what a service says of its reply', () => {
  it.each([
    ['memory', () => memoryStore(), false],
    ['SQLite, opened once more', () => sqliteStore({ path: join(folder, 'a.db') }), true],
  ] as const)('is there after a resume, in a fork and in an import: %s', async (_, open, isReopened) => {
    const first = open();
    const options = { provider, model: 'the-model', store: first };
    const session = await createSession(options);
    await say(session, 'Begin.');
    await session.close();
    if (isReopened) await first[Symbol.asyncDispose]();
    const store = isReopened ? open() : first;

    const resumed = await resumeSession({ ...options, store, sessionId: session.sessionId });
    const fork = await resumed.fork();
    const target = memoryStore();
    const sessionId = await importSession(exportSession(session.sessionId, { store }), { store: target });
    const imported = await resumeSession({ ...options, store: target, sessionId });

    expect([resumed, fork, imported].map(factsIn)).toEqual([[FACTS], [FACTS], [FACTS]]);
    for (const one of [resumed, fork, imported]) await one.close();
    await store[Symbol.asyncDispose]();
  });
});
