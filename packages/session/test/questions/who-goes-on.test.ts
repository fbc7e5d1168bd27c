import { AgentError, defineTool, objectSchema, SessionError } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import {
  answerQuestion,
  type CanUseTool,
  createSession,
  listSessions,
  memoryStore,
  pendingQuestions,
  type SessionStore,
} from '../../src/index.ts';
import { bodiesOf, only, read, resultOf, say, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { served } from '../support/served.ts';
import { later, paying, payTool, waitingSession } from '../support/waiting.ts';

const patience = { timeout: 15_000, interval: 10 };
const allow: CanUseTool = async () => ({ behavior: 'allow' });
const isSlow = () => new AgentError('The disk is slow', { code: 'STORE_FAILED', retryable: true });

describe('abort()', () => {
  it('withdraws what a worker has asked about, on an object that has only sent', async () => {
    const store = memoryStore();
    const { pay: tool, paid } = payTool();
    const { provider } = scriptedProvider(paying);
    const options = { provider, model: 'm', tools: [tool], allowedTools: ['pay'], canUseTool: later };
    const session = await createSession({ ...options, store });
    await session.send('Pay.');
    await using worker = await served(store, { options: () => options, lookEveryMs: 10 });
    await vi.waitFor(async () => expect(await pendingQuestions(store)).toHaveLength(1), patience);
    await worker.engine.idle();

    session.abort();
    await session.close();

    expect(await pendingQuestions(store)).toEqual([]);
    const { sessions } = await listSessions({ store });
    expect(sessions.map(({ state, lastResult }) => [state, lastResult?.subtype])).toEqual([['idle', 'aborted']]);
    expect(paid).toEqual([]);
  });

  it('waits for a store that is slow, and for whoever holds the session for a moment', async () => {
    let failures = 1;
    const inner = memoryStore();
    const store: SessionStore = {
      ...inner,
      append: async (...asked) => {
        if (asked[2].some(({ type }) => type === 'run_ended') && failures-- > 0) throw isSlow();
        return await inner.append(...asked);
      },
    };
    const { session, sessionId } = await waitingSession({ store });
    const lease = (await inner.acquire(sessionId, 'somebody', 60_000))!;
    setTimeout(() => void inner.release(lease), 50);

    session.abort();
    await session.close();

    expect((await bodiesOf(inner, sessionId)).at(-1)).toMatchObject({ type: 'run_ended', subtype: 'aborted' });
  });

  it('does nothing to a session that is idle, or gone', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'Hi.' }], { store });
    await say(session, 'Hello.');
    const before = (await bodiesOf(store, session.sessionId)).length;

    session.abort();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const after = (await bodiesOf(store, session.sessionId)).length;
    await store.remove(session.sessionId);
    session.abort();
    await session.close();

    expect(after).toBe(before);
    expect(session.diagnosis().checks).toEqual([]);
  });
});

describe('whoever goes on', () => {
  it('without canUseTool does not run a call that was asked about and has no answer', async () => {
    const { session, store, sessionId, pay: tool, paid } = await waitingSession();
    await session.close();
    const other = await resumed(store, sessionId, paying, { tools: [tool] });

    const result = resultOf(await read(other.session));

    expect([result.subtype, paid]).toEqual(['waiting', []]);
  });

  it('finds AskUser where a handler has copied the tools', async () => {
    const { session } = await scriptedSession(
      [{ toolCalls: [{ id: 'q', name: 'AskUser', input: { question: 'Why?' } }] }],
      {
        askUser: true,
        allowedTools: ['AskUser'],
        handlers: [
          {
            name: 'copies',
            beforeAgent: (config) => ({
              ...config,
              tools: config.tools.map((one) => ({ ...one, tool: { ...one.tool } })),
            }),
          },
        ],
      },
    );

    expect(resultOf(await say(session, 'Ask.')).subtype).toBe('waiting');
  });

  it('leaves the AskUser of the host to the host', async () => {
    const own = defineTool({
      name: 'AskUser',
      description: 'Asks in its own way.',
      inputSchema: objectSchema({}),
      replace: true,
      execute: async () => 'asked',
    });
    const { session } = await scriptedSession([{ toolCalls: [{ name: 'AskUser' }] }, { text: 'Done.' }], {
      askUser: true,
      tools: [own],
      canUseTool: allow,
    });

    expect(only(await say(session, 'Ask.'), 'tool_result').map(({ output }) => output)).toEqual(['asked']);
  });
});

describe('answerQuestion', () => {
  it('waits for a slow store, and refuses what is no plain object as what it is', async () => {
    const inner = memoryStore();
    let failures = 0;
    const store: SessionStore = {
      ...inner,
      enqueue: async (...asked) => {
        if (failures-- > 0) throw isSlow();
        return await inner.enqueue(...asked);
      },
    };
    const { sessionId } = await waitingSession({ store });
    const answer = (given: unknown) => answerQuestion({ store, sessionId, callId: 'p1', answer: given as never });

    for (const odd of [
      new Proxy({ behavior: 'allow' }, {}),
      { behavior: 'allow', remember: ['Bash('] },
      { behavior: 'allow', updatedInput: () => 1 },
    ])
      await expect(answer(odd)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    failures = 1;
    await answer({ behavior: 'allow' });

    expect(await inner.inbox(sessionId)).toHaveLength(1);
  });
});

describe('pendingQuestions', () => {
  it('goes through all pages, and past sessions that are gone or damaged; a store that fails is told', async () => {
    const inner = memoryStore();
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) ids.push((await waitingSession({ store: inner })).sessionId);
    const [gone, damaged, down] = ids;
    let fails = false;
    const refusing = (sessionId: string): void => {
      if (sessionId === gone) throw new SessionError('gone', { code: 'SESSION_NOT_FOUND' });
      if (sessionId === damaged) throw new SessionError('damaged', { code: 'LOG_DAMAGED' });
      if (sessionId === down && fails) throw new AgentError('down', { code: 'STORE_FAILED' });
    };
    const store: SessionStore = {
      ...inner,
      list: (query) => inner.list({ ...query, limit: 1 }),
      inbox: async (sessionId) => {
        refusing(sessionId);
        return await inner.inbox(sessionId);
      },
    };

    const found = (await pendingQuestions(store)).map(({ sessionId }) => sessionId);
    fails = true;

    expect(found.toSorted()).toEqual(ids.slice(2).toSorted());
    await expect(pendingQuestions(store)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(pendingQuestions({} as never)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'store' });
  });
});
