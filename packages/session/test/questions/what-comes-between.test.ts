import { textOf } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type CanUseTool, memoryStore, pendingQuestions, type SessionOptions } from '../../src/index.ts';
import { codeOf, faultsOf, only, read, resultOf, say, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { later, paying, payTool, waitingSession } from '../support/waiting.ts';

const allow: CanUseTool = async () => ({ behavior: 'allow' });
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
