import { AgentError, defineTool, objectSchema, textOf } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it, vi } from 'vitest';
import {
  answerQuestion,
  type CanUseTool,
  createSession,
  listSessions,
  memoryStore,
  pendingQuestions,
  type SessionOptions,
  type SessionStore,
} from '../../src/index.ts';
import {
  bodiesOf,
  codeOf,
  faultsOf,
  only,
  read,
  resultOf,
  say,
  scriptedProvider,
  scriptedSession,
} from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { served } from '../support/served.ts';
import { later, paying, payTool, waitingSession } from '../support/waiting.ts';

const patience = { timeout: 15_000, interval: 10 };
const allow: CanUseTool = async () => ({ behavior: 'allow' });
const isSlow = () => new AgentError('The disk is slow', { code: 'STORE_FAILED', retryable: true });
const pay = (id: string, amount: number) => ({ id, name: 'pay', input: { amount } });

describe('a refusal of a person', () => {
  it('holds over a rule that was allowed since, by another answer too', async () => {
    const script = [{ toolCalls: [pay('a', 5), pay('b', 5000)] }, { text: 'Done.' }];
    const { session, paid } = await waitingSession({}, script);
    await session.answer('b', { behavior: 'deny', message: 'Never that one.' });
    await session.answer('a', { behavior: 'allow', remember: ['pay'] });
    await session.allow('pay');

    const events = await read(session);

    expect(paid).toEqual(['a 5']);
    expect(only(events, 'tool_result').map(({ output }) => output)).toEqual([
      'Paid.',
      'pay was not run: Never that one.',
    ]);
  });

  it('holds over the mode and the canUseTool of whoever goes on', async () => {
    for (const options of [{ permissionMode: 'bypassPermissions' }, { canUseTool: allow }] as const) {
      const { session, store, sessionId, pay: tool, paid } = await waitingSession();
      await session.answer('p1', { behavior: 'deny' });
      await session.close();
      const other = await resumed(store, sessionId, paying, { tools: [tool], ...options });

      await read(other.session);

      expect(paid).toEqual([]);
    }
  });
});

describe('an input that a person gives with the answer', () => {
  it('is allowed with it, also where every input is asked about', async () => {
    const everyInput: Partial<SessionOptions>[] = [{ canUseTool: later }, { alwaysAsk: ['pay'], askPolicy: 'wait' }];
    for (const options of everyInput) {
      const { session, paid } = await waitingSession(options);
      await session.answer('p1', { behavior: 'allow', updatedInput: { amount: 3 } });

      const result = resultOf(await read(session));

      expect([result.subtype, paid]).toEqual(['success', ['p1 3']]);
    }
  });

  it('is refused by a deny rule, like any other', async () => {
    const bash = { toolCalls: [{ id: 'b', name: 'Bash', input: { command: 'echo a' } }] };
    const { session } = await scriptedSession([bash, { text: 'Done.' }], {
      allowedTools: ['Bash'],
      disallowedTools: ['Bash(rm *)'],
      canUseTool: later,
    });
    await say(session, 'Go.');
    await session.answer('b', { behavior: 'allow', updatedInput: { command: 'rm -rf x' } });

    const [result] = only(await read(session), 'tool_result');

    expect(result).toMatchObject({ isError: true, output: expect.stringContaining('Bash(rm *)') });
  });
});

describe('a message with priority `now`', () => {
  it('comes before every answer that is given after it', async () => {
    const script = [{ toolCalls: [pay('p1', 5)] }, { text: 'Stopped.' }];
    const { session, store, paid } = await waitingSession({}, script);

    await session.send('Stop, do not pay!', { priority: 'now' });
    const code = await codeOf(session.answer('p1', { behavior: 'allow' }));
    const listed = await pendingQuestions(store);
    const result = resultOf(await read(session));

    expect([code, listed, result.subtype, paid]).toEqual(['QUESTION_NOT_OPEN', [], 'success', []]);
  });

  it('leaves in force what was answered before it', async () => {
    const script = [{ toolCalls: [pay('p1', 5), pay('p2', 7)] }, { text: 'Stopped.' }];
    const { session, paid } = await waitingSession({}, script);

    await session.answer('p1', { behavior: 'allow' });
    await session.send('That is enough.', { priority: 'now' });
    const events = await read(session);

    expect(only(events, 'tool_result').map(({ isError }) => isError)).toEqual([false, true]);
    expect(paid).toEqual(['p1 5']);
  });

  it('stops the subagent that has asked, and is read by the agent that has handed over the task', async () => {
    const script: Script = ({ messages }) => {
      const last = messages.at(-1)!;
      const said = last.role === 'user' ? textOf(last) : '';
      if (said === 'Begin.')
        return {
          toolCalls: [{ id: 't', name: 'Task', input: { subagent_type: 'payer', description: 'Pay', prompt: 'x' } }],
        };
      return said === 'Stop.' ? { text: 'Stopped.' } : { toolCalls: [pay(`p${messages.length}`, 5)] };
    };
    const { pay: tool, paid } = payTool();
    const { session, model } = await scriptedSession(script, {
      tools: [tool],
      agents: [{ name: 'payer', description: 'Pays.' }],
      allowedTools: ['pay', 'Task'],
      canUseTool: async (name) => ({ behavior: name === 'pay' ? 'wait' : 'allow' }),
    });
    await say(session, 'Begin.');
    const before = model.requests.length;

    await session.send('Stop.', { priority: 'now' });
    const result = resultOf(await read(session));

    expect([result.subtype, result.content, paid]).toEqual(['success', 'Stopped.', []]);
    expect(model.requests.length - before).toBe(1);
    expect(faultsOf(session.messages)).toEqual([]);
  });
});

describe('a question whose call was answered in another way', () => {
  it('is no longer open: a handler has answered the task around it', async () => {
    const { pay: tool } = payTool();
    const script: Script = ({ messages }) => {
      const last = messages.at(-1)!;
      if (last.role === 'tool') return { text: 'Done.' };
      if (last.role === 'user' && textOf(last) !== 'Begin.') return { toolCalls: [pay('inner', 1)] };
      const task = { id: 't', name: 'Task', input: { subagent_type: 'payer', description: 'Pay', prompt: 'x' } };
      return { toolCalls: [task, pay('outer', 2)] };
    };
    const store = memoryStore();
    const { session } = await scriptedSession(script, {
      store,
      tools: [tool],
      agents: [{ name: 'payer', description: 'Pays.' }],
      allowedTools: ['pay', 'Task'],
      canUseTool: async (name) => ({ behavior: name === 'pay' ? 'wait' : 'allow' }),
      handlers: [
        {
          name: 'answers-tasks',
          async *wrapToolCall(call, next) {
            if (call.name !== 'Task') return yield* next(call);
            try {
              return yield* next(call);
            } catch {
              return { output: 'Do it yourself.', isError: true };
            }
          },
        },
      ],
    });

    const { questions } = resultOf(await say(session, 'Begin.'));

    expect(questions?.map(({ callId }) => callId)).toEqual(['outer']);
    expect((await pendingQuestions(store)).map(({ callId }) => callId)).toEqual(['outer']);
    expect(await codeOf(session.answer('inner', { behavior: 'allow' }))).toBe('QUESTION_NOT_OPEN');
  });
});

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
