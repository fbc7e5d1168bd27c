import { type Message, textOf } from '@x/core';
import type { ScriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type HookConfig, memoryStore, type SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { echoTool, read, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { expiring, resumed } from '../support/resumed.ts';

const CONTEXT = 'By the way: it rains.';
const echo = { toolCalls: [{ id: 'e', name: 'echo', input: { text: 'a' } }] };
const fails = toolNamed('fails', async () => Promise.reject(new Error('it broke')), { kind: 'readonly' });
const tools = [echoTool(), fails];

/** All that a model is shown in one call. */
function shown(model: ScriptedModel, call: number): string {
  const { instruction, messages } = model.requests[call]!;
  return [instruction, ...messages.map(wordsOf)].join('\n');
}
function wordsOf(message: Message): string {
  return message.role === 'tool' ? message.content.map(({ output }) => output).join('\n') : textOf(message);
}
/** How often the context stands in what the model is shown. */
const times = (text: string) => text.split(CONTEXT).length - 1;

/** Hooks that speak once in the life of the session, resumes included. */
function once(event: keyof HookConfig, output: object): Partial<SessionOptions> {
  let spoken = false;
  const hook = async () => {
    if (spoken) return {};
    spoken = true;
    return output;
  };
  return { hooks: { [event]: [{ hooks: [hook] }] } };
}

describe('what a hook wants the model to read', () => {
  it.each<[string, object, object, number]>([
    ['PreToolUse', { additionalContext: CONTEXT }, echo, 1],
    ['PreToolUse', { additionalContext: CONTEXT, permissionDecision: 'deny' }, echo, 1],
    ['PreToolUse', { additionalContext: CONTEXT, action: 'skip', reason: 'skipped' }, echo, 1],
    ['PostToolUse', { additionalContext: CONTEXT }, echo, 1],
    ['PostToolUse', { additionalContext: CONTEXT, updatedOutput: 'changed' }, echo, 1],
    ['PostToolUseFailure', { additionalContext: CONTEXT }, { toolCalls: [{ name: 'fails' }] }, 1],
    ['UserPromptSubmit', { contextInjection: CONTEXT }, {}, 0],
    ['UserPromptSubmit', { contextInjection: CONTEXT, updatedPrompt: 'Begin, please.' }, {}, 0],
    ['Stop', { continue: true, continueReason: CONTEXT }, { text: 'Done.' }, 1],
    ['TaskCompleted', { blockCompletion: true, blockReason: CONTEXT }, { text: 'Done.' }, 1],
  ])('%s %j: is in its next request, once, and still there after a resume', async (event, output, first, call) => {
    const store = memoryStore();
    const options = { tools, ...once(event as keyof HookConfig, output) };
    const script = (_: unknown, turn: number) => (turn === 1 ? first : { text: 'Done.' });
    const { session, model } = await scriptedSession(script, { store, ...options });
    await say(session, 'Begin.');
    await session.close();
    const { session: again, model: later } = await resumed(store, session.sessionId, [{ text: 'Done.' }], options);
    await say(again, 'Go on.');

    expect(times(shown(model, call))).toBe(1);
    for (let before = 0; before < call; before++) expect(times(shown(model, before))).toBe(0);
    expect(times(shown(later, 0))).toBe(1);
    expect(times(session.messages.map(wordsOf).join('\n'))).toBe(1);
  });

  it('SessionStart: is in every request of the session, and a resumed one has what its own start says', async () => {
    const store = memoryStore();
    const hooks: HookConfig = {
      SessionStart: [{ hooks: [async ({ source }) => ({ additionalContext: `It is ${source}.` })] }],
    };
    const { session, model } = await scriptedSession([echo, { text: 'Done.' }], { store, hooks, tools });
    await say(session, 'Begin.');
    await session.close();
    const { session: again, model: later } = await resumed(store, session.sessionId, [{ text: 'Done.' }], { hooks });
    await say(again, 'Go on.');

    for (const { instruction } of model.requests) expect(instruction).toMatch(/\n\nIt is startup\.$/);
    expect(later.requests[0]?.instruction).toMatch(/\n\nIt is resume\.$/);
    expect(later.requests[0]?.instruction).not.toContain('startup');
  });

  it('UserPromptSubmit: goes along with a message that is delivered into a run', async () => {
    const { session, model } = await scriptedSession([echo, { text: 'Done.' }], {
      tools,
      hooks: {
        UserPromptSubmit: [
          { hooks: [async ({ user_prompt }) => (user_prompt === 'Faster.' ? { contextInjection: CONTEXT } : {})] },
        ],
      },
    });
    await session.send('Begin.');

    for await (const event of session.stream()) if (event.type === 'tool_use') await session.send('Faster.');

    expect(times(shown(model, 0))).toBe(0);
    expect(shown(model, 1)).toContain(`Faster.\n\n${CONTEXT}`);
  });

  it('SubagentStart and SubagentStop: reach the subagent, not the agent that called it', async () => {
    const script = cast({
      main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
      one: [{ text: 'Worked.' }, { text: 'Worked again.' }],
    });
    const block = { decision: 'block', reason: 'Look again.' } as const;
    let blocked = false;
    const { session, model } = await scriptedSession(script, {
      allowedTools: ['Task'],
      agents: agentsNamed('one'),
      hooks: {
        SubagentStart: [{ hooks: [async () => ({ additionalContext: CONTEXT })] }],
        SubagentStop: [{ hooks: [async () => (blocked ? {} : ((blocked = true), block))] }],
      },
    });

    await say(session, 'Begin.');

    expect(model.requests).toHaveLength(4);
    expect([0, 1, 2, 3].map((call) => times(shown(model, call)))).toEqual([0, 1, 1, 0]);
    expect(shown(model, 2)).toContain('Look again.');
    expect(shown(model, 3)).toContain('Worked again.');
    expect(shown(model, 3)).not.toContain('Look again.');
  });

  it('SubagentStart: is still there when the subagent goes on after a crash, once', async () => {
    const store = expiring(memoryStore());
    const started = Promise.withResolvers<void>();
    const work = (isStuck: boolean) =>
      toolNamed(
        'work',
        async () => {
          started.resolve();
          if (isStuck) await new Promise(() => undefined);
          return 'worked';
        },
        { kind: 'readonly' },
      );
    const hooks: HookConfig = { SubagentStart: [{ hooks: [async () => ({ additionalContext: CONTEXT })] }] };
    const agents = agentsNamed('one');
    const first = cast({
      main: [{ toolCalls: [task('one', 't')] }],
      one: [{ toolCalls: [{ id: 'w', name: 'work' }] }],
    });
    const options = { store, hooks, agents, allowedTools: ['Task', 'work'] };
    const { session } = await scriptedSession(first, { ...options, tools: [work(true)] });
    await session.send('Begin.');
    void Array.fromAsync(session.stream()); // never ends: the process of this session is as good as dead
    await started.promise;
    const then = cast({ main: [{ text: 'Done.' }], one: [{ text: 'Worked.' }] });
    const { session: again, model } = await resumed(store, session.sessionId, then, {
      ...options,
      tools: [work(false)],
    });
    const events = await read(again);

    expect(resultOf(events).content).toBe('Done.');
    expect(model.requests.map(({ messages }) => times(messages.map(wordsOf).join('\n')))).toEqual([1, 0]);
  });
});
