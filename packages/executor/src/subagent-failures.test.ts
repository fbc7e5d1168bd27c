import { AgentError, type AgentHandler, SessionError } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, linesOf, recordsOf, toolNamed } from '../test/run-options.ts';
import { agent, cast, tasks, withAgents } from '../test/subagents.ts';
import { memoryJournal } from './memory-journal.ts';
import { runAgent } from './run-agent.ts';

const works = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('echo'), { text: 'Done.' }] });
const helper = [agent('helper')];

/** A handler that swallows whatever a task throws. */
const forgiving: AgentHandler = {
  name: 'forgiving',
  async *wrapToolCall(call, next) {
    try {
      return yield* next(call);
    } catch (error) {
      if (call.name !== 'Task') throw error;
      return { output: 'Never mind.', isError: false };
    }
  },
};

/** Throws `failure` in the subagent's run only. */
function throwing(method: keyof AgentHandler, failure: Error): AgentHandler {
  const handler = (...args: readonly unknown[]) => {
    const run = args.at(-1) as { depth: number }; // the last argument of every method
    if (run.depth === 1) throw failure;
    return method === 'wrapToolCall' || method === 'wrapModelCall'
      ? (args[1] as (value: unknown) => unknown)(args[0])
      : method.includes('Rewrite')
        ? args[0]
        : undefined;
  };
  return { name: 'throwing', [method]: handler };
}

describe('a subagent that fails', () => {
  it.each([
    ['throws', { error: new AgentError('overloaded', { code: 'MODEL_ERROR' }) }, 'The agent helper failed: overloaded'],
    ['throws anything', { text: 'Half', error: new Error('cut') }, 'The agent helper failed: cut'],
  ])('because its model %s is an error that the model around it reads', async (_, reply, output) => {
    const script = cast({ main: [tasks('helper'), { text: 'I see.' }], helper: [reply] });
    const { options } = withAgents(script, helper);

    const { value } = await collect(runAgent(options));

    expect(linesOf(value.messages).slice(2)).toEqual([`tool: ${output}`, 'assistant: I see.']);
  });

  it('because a handler gave up on the model is such an error too, told by its cause', async () => {
    const retry: AgentHandler = {
      name: 'retry',
      async *wrapModelCall(request, next) {
        try {
          return yield* next(request);
        } catch (cause) {
          throw new AgentError('no model answers', { code: 'GAVE_UP', cause });
        }
      },
    };
    const script = cast({ main: [tasks('helper'), { text: 'I see.' }], helper: [{ error: new Error('down') }] });
    const { options } = withAgents(script, helper, { handlers: [retry] });

    const { value } = await collect(runAgent(options));

    expect(linesOf(value.messages)[2]).toBe('tool: The agent helper failed: no model answers');
  });

  it.each([
    'beforeAgent',
    'beforeUserMessage',
    'beforeModelRewriteHistory',
    'wrapModelCall',
    'afterModelRewriteHistory',
    'wrapToolCall',
    'onEvent',
    'afterAgent',
    'runEnded',
  ] as const)(
    'because a handler throws in %s ends the run around it, whatever a wrap there makes of it',
    async (method) => {
      const failure = new Error('a handler');
      const { options, journal } = withAgents(works, helper, { handlers: [forgiving, throwing(method, failure)] });

      await expect(collect(runAgent(options))).rejects.toBe(failure);

      const answered = recordsOf(journal, 'tool_finished').map(({ callId }) => callId);
      expect(answered.at(-1)).toBe('task0');
    },
  );

  it.each([
    ['a stop by a hook', (cause: unknown) => new AgentError('stopped', { code: 'STOPPED_BY_HOOK', cause })],
    ['a tool loop', (cause: unknown) => new SessionError('again and again', { code: 'TOOL_LOOP', cause })],
  ])('because of %s ends the run around it, even when its model had failed before', async (_, makeFailure) => {
    const stops: AgentHandler = {
      name: 'stops',
      async *wrapModelCall(request, next) {
        try {
          return yield* next(request);
        } catch (cause) {
          throw makeFailure(cause);
        }
      },
    };
    const script = cast({ main: [tasks('helper'), { text: 'I see.' }], helper: [{ error: new Error('overloaded') }] });
    const { options } = withAgents(script, helper, { handlers: [stops] });

    await expect(collect(runAgent(options))).rejects.toThrow(makeFailure(undefined).message);
  });

  it('because the journal is lost ends the run around it, whatever a wrap makes of it', async () => {
    const fenced = new SessionError('another owner', { code: 'SESSION_FENCED' });
    const journal = memoryJournal();
    const lost = {
      ...journal,
      child: (callId: string) => ({ ...journal.child(callId), write: () => Promise.reject(fenced) }),
    };
    const { options } = withAgents(works, helper, { handlers: [forgiving], journal: lost });

    await expect(collect(runAgent(options))).rejects.toBe(fenced);
  });

  it('two levels down ends all the runs around it', async () => {
    const failure = new Error('deep');
    const deep: AgentHandler = {
      name: 'deep',
      afterAgent: (_, { depth }) => {
        if (depth === 2) throw failure;
      },
    };
    const script = cast({
      main: [tasks('outer'), { text: 'Thanks.' }],
      outer: [tasks('inner'), { text: 'Done.' }],
      inner: [{ text: 'Done.' }],
    });
    const { options, journal } = withAgents(script, [agent('outer'), agent('inner')], { handlers: [forgiving, deep] });

    await expect(collect(runAgent(options))).rejects.toBe(failure);

    expect(recordsOf(journal, 'tool_finished')).toHaveLength(2);
  });

  it('lets the calls beside it be answered first', async () => {
    const failure = new Error('a handler');
    const script = cast({
      main: [tasks('helper', 'other'), { text: 'Thanks.' }],
      helper: [],
      other: [{ text: 'Done.' }],
    });
    const handler: AgentHandler = {
      name: 'h',
      beforeAgent: (_, { agentName }) => {
        if (agentName === 'helper') throw failure;
      },
    };
    const { options, journal } = withAgents(script, [...helper, agent('other')], { handlers: [handler] });

    await expect(collect(runAgent(options))).rejects.toBe(failure);

    expect(recordsOf(journal, 'tool_finished')).toHaveLength(2);
  });

  it('because of a tool is nothing that its model cannot hear', async () => {
    const broken = toolNamed('broken', () => Promise.reject(new Error('no luck')));
    const script = cast({
      main: [tasks('helper'), { text: 'Thanks.' }],
      helper: [calls('broken'), { text: 'It broke.' }],
    });
    const { options } = withAgents(script, helper, { tools: [broken] });

    const { value } = await collect(runAgent(options));

    expect(linesOf(value.messages)[2]).toBe('tool: It broke.');
  });
});
