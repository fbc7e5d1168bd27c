import { type AgentHandler, objectSchema, type Question, textOf } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import type { CanUseTool } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import {
  codeOf,
  echoTool,
  faultsOf,
  linesOf,
  only,
  read,
  resultOf,
  say,
  scriptedSession,
  toolNamed,
} from '../support/makers.ts';
import { later, payTool } from '../support/waiting.ts';

const pay = (id: string, amount: number) => ({ id, name: 'pay', input: { amount } });
const callIds = (questions: readonly Question[] = []) => questions.map(({ callId }) => callId);

describe('calls of one reply', () => {
  const allowSmall: CanUseTool = async (_name, input) =>
    (input as { amount: number }).amount < 10 ? { behavior: 'allow' } : { behavior: 'wait' };

  it('are all asked about at once, and none starts before the ones ahead of it are answered', async () => {
    const { pay: tool, paid } = payTool();
    const calls = [pay('a', 1), pay('b', 20), pay('c', 3), pay('d', 40)];
    const { session } = await scriptedSession([{ toolCalls: calls }, { text: 'Done.' }], {
      tools: [tool],
      canUseTool: allowSmall,
    });

    const first = resultOf(await say(session, 'Pay.'));
    const paidAtFirst = [...paid];
    await session.answer('d', { behavior: 'allow' });
    const second = resultOf(await read(session));
    const paidBehindB = [...paid];
    await session.answer('b', { behavior: 'allow' });
    const third = resultOf(await read(session));

    expect([first.subtype, callIds(first.questions), paidAtFirst]).toEqual(['waiting', ['b', 'd'], ['a 1']]);
    expect([second.subtype, callIds(second.questions), paidBehindB]).toEqual(['waiting', ['b'], ['a 1']]);
    expect(third.subtype).toBe('success');
    expect(paid).toEqual(['a 1', 'b 20', 'c 3', 'd 40']);
    expect(faultsOf(session.messages)).toEqual([]);
  });

  it('that a person has allowed meanwhile are not asked about again', async () => {
    const asked: string[] = [];
    const { pay: tool, paid } = payTool();
    const canUseTool: CanUseTool = async (name, input, options) => {
      asked.push(options.callId);
      return await allowSmall(name, input, options);
    };
    const script = [{ toolCalls: [pay('b', 20), pay('c', 3)] }, { text: 'Done.' }];
    const { session } = await scriptedSession(script, { tools: [tool], canUseTool });

    await say(session, 'Pay.');
    await session.answer('b', { behavior: 'allow' });
    await read(session);

    expect(asked).toEqual(['b', 'c']);
    expect(paid).toEqual(['b 20', 'c 3']);
  });

  it('that may run side by side do, while one of them waits', async () => {
    const canUseTool: CanUseTool = async (_name, input) =>
      (input as { text: string }).text === 'wait' ? { behavior: 'wait' } : { behavior: 'allow' };
    const said: string[] = [];
    const echo = echoTool((text) => said.push(text));
    const toolCalls = ['a', 'wait', 'b'].map((text) => ({ id: text, name: 'echo', input: { text } }));
    const { session } = await scriptedSession([{ toolCalls }, { text: 'Done.' }], { tools: [echo], canUseTool });

    await say(session, 'Say.');
    const saidAtFirst = [...said];
    await session.answer('wait', { behavior: 'allow' });
    await read(session);

    expect(saidAtFirst).toEqual(['a', 'b']);
    expect(said).toEqual(['a', 'b', 'wait']);
    expect(session.messages.map(linesOf)).toEqual(['Say.', '', 'a|wait|b', 'Done.']);
  });
});

describe('a question of a subagent', () => {
  /** The main agent hands two tasks over; each agent pays what its prompt says. */
  const script: Script = ({ messages }) => {
    const last = messages.at(-1)!;
    if (last.role === 'tool') return { text: `Answered ${last.content.map(({ output }) => output).join('|')}` };
    const prompt = last.role === 'user' ? textOf(last) : '';
    if (prompt !== 'Begin.') return { toolCalls: [pay(`of-${prompt}`, Number(prompt))] };
    const tasks = ['5', '7'].map((amount) => ({
      id: `task-${amount}`,
      name: 'Task',
      input: { subagent_type: 'payer', description: 'Pay it', prompt: amount },
    }));
    return { toolCalls: tasks };
  };

  it('names its path; the answer lets that agent go on, and the others stay as they were', async () => {
    const { pay: tool, paid } = payTool();
    const { session, model } = await scriptedSession(script, {
      tools: [tool],
      agents: [{ name: 'payer', description: 'Pays.', tools: ['pay'] }],
      allowedTools: ['pay', 'Task'],
      canUseTool: async (name) => ({ behavior: name === 'pay' ? 'wait' : 'allow' }),
    });

    const first = resultOf(await say(session, 'Begin.'));
    const requests = model.requests.length;
    await session.answer('of-7', { behavior: 'allow' });
    const second = resultOf(await read(session));
    await session.answer('of-5', { behavior: 'deny', message: 'No.' });
    const events = await read(session);

    expect(first.questions?.map(({ callId, agentPath, agentName }) => [callId, agentPath, agentName])).toEqual([
      ['of-5', ['task-5'], 'payer'],
      ['of-7', ['task-7'], 'payer'],
    ]);
    expect([second.subtype, callIds(second.questions)]).toEqual(['waiting', ['of-5']]);
    expect(paid).toEqual(['of-7 7']);
    expect(resultOf(events).content).toBe('Answered Answered pay was not run: No.|Answered Paid.');
    expect(model.requests.length - requests).toBe(3); // the two agents after their answers, and the main one
    expect(faultsOf(session.messages)).toEqual([]);
  });
});

describe('handlers around a call that waits', () => {
  it('see it again when it is answered; none makes a result of it', async () => {
    const seen: string[] = [];
    const { pay: tool, paid } = payTool();
    const { session } = await scriptedSession([{ toolCalls: [pay('a', 5)] }, { text: 'Done.' }], {
      tools: [tool],
      canUseTool: later,
      hooks: {
        PreToolUse: [{ hooks: [async () => void seen.push('before')] }],
        PostToolUse: [{ hooks: [async () => void seen.push('after')] }],
        PostToolUseFailure: [{ hooks: [async () => void seen.push('failed')] }],
        Stop: [{ hooks: [async () => void seen.push('stop')] }],
      },
      handlers: [{ name: 'ends', runEnded: ({ subtype }) => void seen.push(subtype) }],
    });

    await say(session, 'Pay.');
    await session.answer('a', { behavior: 'allow' });
    await read(session);

    expect(seen).toEqual(['before', 'waiting', 'before', 'after', 'stop', 'success']);
    expect(paid).toEqual(['a 5']);
  });

  it('may end it with a result of their own: the question is then no longer open', async () => {
    const { pay: tool, paid } = payTool();
    const { session } = await scriptedSession([{ toolCalls: [pay('a', 5)] }, { text: 'Done.' }], {
      tools: [tool],
      canUseTool: later,
      handlers: [
        {
          name: 'catches',
          async *wrapToolCall(call, next) {
            try {
              return yield* next(call);
            } catch {
              return { output: 'Caught.', isError: true };
            }
          },
        },
      ],
    });

    expect(resultOf(await say(session, 'Pay.')).subtype).toBe('success');
    expect(paid).toEqual([]);
    expect(await codeOf(session.answer('a', { behavior: 'allow' }))).toBe('QUESTION_NOT_OPEN');
  });

  it('that fail beside it end the run, and withdraw the question', async () => {
    const { pay: tool, paid } = payTool();
    const breaks = toolNamed('breaks', async () => 'x', { kind: 'readonly', parallelSafe: true });
    const asks = toolNamed('asks', async () => 'x', {
      kind: 'readonly',
      parallelSafe: true,
      inputSchema: objectSchema({}),
    });
    const { session } = await scriptedSession([{ toolCalls: [{ name: 'asks' }, { name: 'breaks' }, pay('a', 5)] }], {
      tools: [tool, breaks, asks],
      canUseTool: async (name) => ({ behavior: name === 'asks' ? 'wait' : 'allow' }),
      handlers: [
        {
          name: 'fails',
          async *wrapToolCall(call, next) {
            if (call.name === 'breaks') throw new Error('broken');
            return yield* next(call);
          },
        },
      ],
    });

    const result = resultOf(await say(session, 'Go.'));

    expect(result).toMatchObject({ subtype: 'error', error: 'broken' });
    expect(faultsOf(session.messages)).toEqual([]);
    expect(paid).toEqual([]);
  });

  it.each(['aborted', 'error'])(
    'that wait are answered for the reader as in the log, when the run ends as %s',
    async (end) => {
      const { pay: tool, paid } = payTool();
      const canUseTool: CanUseTool = async (name) => {
        if (name === 'pay') return { behavior: 'wait' };
        return end === 'aborted' ? { behavior: 'deny', message: 'Stop.', interrupt: true } : { behavior: 'allow' };
      };
      const broken: AgentHandler = {
        name: 'broken',
        wrapToolCall: (call, next) => {
          if (call.name === 'look' && end === 'error') throw new TypeError('The guard is broken');
          return next(call);
        },
      };
      const toolCalls = [task('one'), pay('a', 20), { id: 'b', name: 'look' }];
      const { session } = await scriptedSession(cast({ main: [{ toolCalls }], one: [{ toolCalls: [pay('c', 1)] }] }), {
        tools: [tool, toolNamed('look', async () => 'Looked.')],
        allowedTools: ['pay', 'look', 'Task'],
        agents: agentsNamed('one'),
        handlers: [broken],
        canUseTool: (...asked) => (asked[0] === 'Task' ? Promise.resolve({ behavior: 'allow' }) : canUseTool(...asked)),
      });

      const events = await say(session, 'Pay.');

      const recorded = session.messages.at(-1);
      const told = only(events, 'tool_result').map(({ id, output }) => `${id}: ${output}`);
      const kept = recorded?.role === 'tool' ? recorded.content : [];
      expect(resultOf(events).subtype).toBe(end);
      expect(told).toHaveLength(3);
      expect(told.toSorted()).toEqual(kept.map(({ toolUseId, output }) => `${toolUseId}: ${output}`).toSorted());
      expect(faultsOf(session.messages)).toEqual([]);
      expect(paid).toEqual([]);
      await session.close();
    },
  );
});
