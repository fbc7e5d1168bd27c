import type { AgentHandler } from '@x/core';
import type { ScriptedReply } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type HookConfig, type HookEvent, type HookInput, memoryStore, type SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { bodiesOf, echoTool, only, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';

const echo = (id: string) => ({ toolCalls: [{ id, name: 'echo', input: { text: id } }] });
/** Lets `echo` answer in the place of the agent that calls it, in these agents. */
const directIn = (...agents: readonly string[]): AgentHandler => ({
  name: 'direct',
  beforeAgent(config, { agentName }) {
    if (!agents.includes(agentName)) return;
    for (const meta of config.tools) if (meta.tool.name === 'echo') meta.returnDirectly = true;
  },
});

/** What the hooks of these events were told, in their order. */
function told(events: readonly HookEvent[]): { inputs: HookInput[]; hooks: HookConfig } {
  const inputs: HookInput[] = [];
  const hook = async (input: HookInput) => void inputs.push(input);
  return { inputs, hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]])) };
}
async function played(parts: Readonly<Record<string, readonly ScriptedReply[]>>, options: Partial<SessionOptions>) {
  const { session, model } = await scriptedSession(cast(parts), {
    tools: [echoTool()],
    allowedTools: ['echo', 'Task', 'slow'],
    agents: agentsNamed('one'),
    ...options,
  });
  const events = await say(session, 'Begin.');
  return { session, model, events, result: resultOf(events) };
}

describe('SubagentStop', () => {
  const main = [{ toolCalls: [task('one')] }, { text: 'Done.' }];

  it('is told of the answer of a tool that ends the subagent', async () => {
    const { inputs, hooks } = told(['SubagentStop']);

    const { events } = await played({ main, one: [echo('a')] }, { handlers: [directIn('one')], hooks });

    expect(only(events, 'tool_result')).toMatchObject([{ name: 'Task', output: 'a', isError: false }]);
    expect(inputs).toMatchObject([{ agent_type: 'one', success: true, result_summary: 'a' }]);
    expect(inputs[0]).not.toHaveProperty('error');
  });

  it('is told of one that reaches its limit of turns, as a failure', async () => {
    const { inputs, hooks } = told(['SubagentStop']);

    const { events } = await played({ main, one: [echo('a'), echo('b')] }, { maxTurns: 2, hooks });

    expect(only(events, 'tool_result')).toMatchObject([{ name: 'Task', isError: true }]);
    expect(inputs).toMatchObject([{ success: false, error: expect.stringContaining('limit of turns') }]);
  });

  it('is told of one whose model fails', async () => {
    const { inputs, hooks } = told(['SubagentStop']);
    const error = Object.assign(new Error('no model'), { code: 'MODEL_ERROR' });

    await played({ main, one: [{ error }] }, { hooks });

    expect(inputs).toMatchObject([{ success: false, error: expect.stringContaining('no model') }]);
  });
});

describe('PostToolUseFailure', () => {
  const slow = toolNamed('slow', () => new Promise(() => undefined), { kind: 'readonly' });
  const calls = { main: [{ toolCalls: [{ id: 's', name: 'slow' }] }, { text: 'Done.' }] };

  it.each(['result', 'throw'] as const)('is told of a time-out (%s)', async (onToolTimeout) => {
    const { inputs, hooks } = told(['PostToolUseFailure', 'PostToolUse']);

    await played(calls, { tools: [slow], toolTimeout: 5, onToolTimeout, hooks });

    expect(inputs).toMatchObject([
      {
        hook_event_name: 'PostToolUseFailure',
        tool_name: 'slow',
        tool_use_id: 's',
        error_type: 'timeout',
        is_timeout: true,
        is_interrupt: false,
      },
    ]);
  });

  it('is told of an interruption', async () => {
    const { inputs, hooks } = told(['PostToolUseFailure', 'PostToolUse']);
    const made: { abort?: () => void } = {};
    const aborting: AgentHandler = {
      name: 'abort',
      onEvent: (event) => void (event.type === 'tool_started' && made.abort?.()),
    };
    const { session } = await scriptedSession(cast(calls), { tools: [slow], handlers: [aborting], hooks });
    made.abort = () => session.abort();

    const events = await say(session, 'Begin.');

    expect(resultOf(events).subtype).toBe('aborted');
    expect(inputs).toMatchObject([
      { tool_use_id: 's', error_type: 'interrupted', is_interrupt: true, is_timeout: false },
    ]);
  });

  it('is not told of a call that never ran', async () => {
    const { inputs, hooks } = told(['PostToolUseFailure', 'PostToolUse']);

    const missing = { toolCalls: [...echo('a').toolCalls, { name: 'missing' }] };
    await played({ main: [missing, { text: 'Done.' }] }, { disallowedTools: ['echo'], hooks });

    expect(inputs).toEqual([]);
  });
});

describe('a decision', () => {
  it.each([
    [
      'a hook that denies',
      { permissionDecision: 'deny', permissionDecisionReason: 'no' },
      { decision: 'deny', step: 'hook', reason: 'no' },
    ],
    [
      'a hook that answers itself',
      { action: 'skip', reason: 'done before' },
      { decision: 'deny', step: 'hook', reason: 'done before' },
    ],
    ['a hook that allows', { permissionDecision: 'allow' }, { decision: 'allow', step: 'hook' }],
  ] as const)('of %s is in the log like any other', async (_, output, expected) => {
    const store = memoryStore();
    const { session } = await played(
      { main: [echo('a'), { text: 'Done.' }] },
      { store, hooks: { PreToolUse: [{ hooks: [async () => output] }] } },
    );

    const notes = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
      body.type === 'record' && body.record.type === 'note' ? [body.record] : [],
    );

    expect(notes).toMatchObject([{ name: 'permission:a', data: expected }]);
  });
});

describe('the end of a run that a tool ends', () => {
  it('has the output as its content', async () => {
    const { result, model } = await played({ main: [echo('a')] }, { handlers: [directIn('main')] });

    expect(result).toMatchObject({ subtype: 'success', content: 'a' });
    expect(model.requests).toHaveLength(1);
  });
});

describe('a run that a tool ends directly', () => {
  it('is told as completed with the output of that tool, and may be made to go on', async () => {
    const told: unknown[] = [];
    const hooks: HookConfig = {
      TaskCompleted: [
        {
          hooks: [
            async ({ result }) => {
              told.push(result);
              return told.length === 1 ? { blockCompletion: true, blockReason: 'not yet' } : {};
            },
          ],
        },
      ],
    };
    const direct: AgentHandler = {
      name: 'direct',
      beforeAgent({ tools }) {
        for (const meta of tools) meta.returnDirectly = meta.tool.name === 'echo';
      },
    };
    const call = { toolCalls: [{ name: 'echo', input: { text: 'the answer' } }] };
    const { session } = await scriptedSession([call, { text: 'Really.' }], {
      tools: [echoTool()],
      hooks,
      handlers: [direct],
    });

    const events = await say(session, 'Begin.');

    expect(told).toEqual(['the answer', 'Really.']);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Really.' });
  });
});
