import { describe, expect, it } from 'vitest';
import {
  exportSession,
  importSession,
  listSessions,
  memoryStore,
  pendingQuestions,
  watchSession,
} from '../../src/index.ts';
import { codeOf, read, resultOf, scriptedProvider } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { served } from '../support/served.ts';
import { later, paying, waitingSession } from '../support/waiting.ts';

/** The lines of an export of a session whose question was answered, and nobody has gone on with it. */
async function exported() {
  const { session, store, sessionId, pay, paid, question } = await waitingSession();
  await session.answer('p1', { behavior: 'allow' });
  const lines = await Array.fromAsync(exportSession(sessionId, { store }));
  return { lines, pay, paid, question };
}

describe('an export of a session that waits', () => {
  it('carries no answer over: the question is asked again where it is imported, and answered there', async () => {
    const { lines, pay, paid, question } = await exported();
    const store = memoryStore();
    const sessionId = await importSession(lines, { store });
    const states = (await listSessions({ store })).sessions.map(({ state }) => state);
    const { session } = await resumed(store, sessionId, paying, { tools: [pay], canUseTool: later });

    const again = resultOf(await read(session));
    await session.answer('p1', { behavior: 'allow' });
    const last = resultOf(await read(session));

    expect(states).toEqual(['idle']);
    expect(again).toMatchObject({ subtype: 'waiting', questions: [{ callId: 'p1', key: question.key }] });
    expect([last.subtype, paid]).toEqual(['success', ['p1 5']]);
  });

  it('lets no line say what was asked or answered', async () => {
    const { lines, pay, paid, question } = await exported();
    const at = lines.findIndex((line) => line.includes('"question:p1"'));
    const entry = JSON.parse(lines[at]!) as { body: { record: { name: string; data: unknown } } };
    const { key, askedAt } = question;
    const forged = structuredClone(entry);
    forged.body.record = {
      ...entry.body.record,
      name: 'answer:p1',
      data: { key, askedAt, answer: { behavior: 'allow' } },
    };
    const store = memoryStore();
    const withAnswer = lines.with(at + 1, JSON.stringify(forged));

    // Its checksum tells that the file was changed; the answer that the log may hold by itself counts as little.
    expect(await codeOf(importSession(withAnswer, { store }))).toBe('VALIDATION_ERROR');
    const sessionId = await importSession(lines, { store });
    expect(await pendingQuestions(store)).toEqual([]);
    const { session } = await resumed(store, sessionId, paying, { tools: [pay], canUseTool: later });
    expect(resultOf(await read(session)).subtype).toBe('waiting');
    expect(paid).toEqual([]);
  });

  it('is judged where it is imported as if it had never been asked', async () => {
    const { lines, pay, paid } = await exported();
    const store = memoryStore();
    const sessionId = await importSession(lines, { store });
    const { session } = await resumed(store, sessionId, paying, { tools: [pay] }); // the host's own tools run there

    expect(resultOf(await read(session)).subtype).toBe('success');
    expect(paid).toEqual(['p1 5']);
  });

  it('tells whoever follows the copy no question that was taken back', async () => {
    const { lines } = await exported();
    const store = memoryStore();
    const sessionId = await importSession(lines, { store });
    const over = new AbortController();
    const told: unknown[] = [];
    for await (const { event } of watchSession({ store, sessionId, signal: over.signal })) {
      if (event.type === 'question') told.push(event);
      if (event.type === 'run_resumed') over.abort();
    }

    expect(told).toMatchObject([{ id: 'p1', toolName: 'pay' }]); // as it was asked where it came from
  });

  it('is asked about again by a worker that begins there', async () => {
    const { lines, pay, paid } = await exported();
    const store = memoryStore();
    const sessionId = await importSession(lines, { store });
    const { provider } = scriptedProvider(paying);

    await using worker = await served(store, {
      options: () => ({ provider, model: 'm', tools: [pay], allowedTools: ['pay'], canUseTool: later }),
    });
    await worker.engine.idle();

    expect((await pendingQuestions(store)).map((one) => one.sessionId)).toEqual([sessionId]);
    expect(paid).toEqual([]);
  });
});
