import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import type { Message } from '@x/core';
import { afterAll, describe, expect } from 'vitest';
import {
  createSession,
  exportSession,
  forkSession,
  type ISession,
  importSession,
  memoryStore,
  resumeSession,
  sqliteStore,
} from '../../src/index.ts';
import { echoTool, faultsOf, linesOf, resultOf, say, scriptedProvider } from '../support/makers.ts';

const folder = mkdtempSync(join(tmpdir(), 'rewinds-'));
afterAll(() => rmSync(folder, { recursive: true }));

const deed = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('say' as const), calls: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('rewind' as const), to: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen' as const) }) },
);

const STORES = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
] as const;

describe.each(STORES)('rewinds at random, over the %s store', (_, open) => {
  test.prop([fc.array(deed, { minLength: 3, maxLength: 14 })], { numRuns: 40 })(
    'give the conversation that was there before each message, for resumes, forks and copies too',
    async (deeds) => {
      const store = open();
      const { provider } = scriptedProvider(({ messages }) => {
        const asked = messages.findLast((message) => message.role === 'user');
        const calls = Number(/^call (\d)/.exec(asked ? linesOf(asked) : '')?.[1] ?? 0);
        if (messages.at(-1) !== asked || calls === 0) return { text: 'Done.' };
        return { toolCalls: Array.from({ length: calls }, () => ({ name: 'echo', input: { text: 'echoed' } })) };
      });
      const options = { provider, model: 'm', store, tools: [echoTool()] };
      let session: ISession = await createSession(options);
      const before = new Map<string, Message[]>();

      for (const [at, one] of deeds.entries()) {
        if (one.type === 'say') {
          const { messages } = session;
          const { messageId } = resultOf(await say(session, `call ${one.calls} ${at}`));
          before.set(messageId, messages);
          expect(session.messages.slice(0, messages.length)).toEqual(messages);
        } else if (one.type === 'compact') await say(session, '/compact');
        else if (one.type === 'rewind' && before.size > 0) {
          const messageId = [...before.keys()][one.to % before.size]!;
          await session.rewind({ messageId });
          expect(session.messages).toEqual(before.get(messageId));
        } else if (one.type === 'reopen') {
          await session.close();
          session = await resumeSession({ ...options, sessionId: session.sessionId });
        }
        expect(faultsOf(session.messages)).toEqual([]);
      }

      const { sessionId, messages } = session;
      await session.close();
      const copyId = `${sessionId}-copy`;
      await importSession(exportSession(sessionId, { store }), { store, sessionId: copyId });
      const all = [
        await resumeSession({ ...options, sessionId }),
        await resumeSession({ ...options, sessionId: copyId }),
        await forkSession({ ...options, sessionId }),
      ];
      for (const other of all) expect(other.messages).toEqual(messages);
      for (const messageId of before.keys()) {
        const fork = await forkSession({ ...options, sessionId, messageId });
        expect(fork.messages.slice(0, -1)).toEqual(before.get(messageId));
        all.push(fork);
      }
      for (const other of all) await other.close();
      await store[Symbol.asyncDispose]();
    },
  );
});
