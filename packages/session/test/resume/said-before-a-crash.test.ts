import { type AgentHandler, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { bodiesOf, read, resultOf, say, scriptedSession, shownTo, toolNamed } from '../support/makers.ts';
import { mortal } from '../support/mortal-store.ts';
import { abandoned, abandonedAt, resumed } from '../support/resumed.ts';

describe('what a handler adds to the input in beforeAgent', () => {
  const adding: AgentHandler = {
    name: 'adding',
    beforeAgent(config) {
      config.input = [userMessage('Be brief.'), ...config.input, userMessage('Begin now.')];
    },
  };

  it('is not added again when the run is resumed, and is added to the next run', async () => {
    const { store, sessionId, tools } = await abandoned('idempotent', { handlers: [adding] });
    const options = { tools, handlers: [adding], allowedTools: ['work', 'echo'] };
    const { session, model } = await resumed(store, sessionId, [{ text: 'Done.' }, { text: 'Again.' }], options);

    await read(session);
    await say(session, 'More.');

    const asked = shownTo(model, 0).filter((line) => line.startsWith('user:'));
    expect(asked).toEqual(['user: Be brief.', 'user: Begin.', 'user: Begin now.']);
    const next = shownTo(model, 1).filter((line) => line.startsWith('user:'));
    expect(next.slice(3)).toEqual(['user: Be brief.', 'user: More.', 'user: Begin now.']);
  });

  it('is added as far as the crash has kept it from being recorded', async () => {
    let messages = 0;
    const { store, inner, gone } = mortal((bodies) =>
      JSON.stringify(bodies).includes('"type":"message"') && ++messages === 2 ? 'before' : undefined,
    );
    const { session: old } = await scriptedSession([], { store, handlers: [adding] });
    await old.send('Begin.');
    void read(old).catch(() => undefined);
    await gone;
    const { session, model } = await resumed(inner, old.sessionId, [{ text: 'Done.' }], { handlers: [adding] });

    await read(session);

    expect(shownTo(model, 0)).toEqual(['user: Be brief.', 'user: Begin.', 'user: Begin now.']);
  });
});

describe('what a PreToolUse hook has said to the model', () => {
  it('stands in the answer of a call that the process has died in', async () => {
    const pay = toolNamed('pay', async () => 'paid', { effect: 'non_idempotent' });
    const hooks = { PreToolUse: [{ hooks: [async () => ({ additionalContext: 'The budget is 5 dollars.' })] }] };
    const reply = { toolCalls: [{ id: 'p', name: 'pay' }] };
    const { store, sessionId } = await abandonedAt(reply, pay, { hooks });
    const { session, model } = await resumed(store, sessionId, [{ text: 'Done.' }], { tools: [pay], hooks });

    await read(session);

    expect(shownTo(model, 0).at(-1)).toMatch(/effect is not known[\s\S]*The budget is 5 dollars\.$/);
  });
});

describe('a refusal of somebody who was asked', () => {
  it('holds when the process dies before the call has its answer', async () => {
    const { store, inner, gone } = mortal((bodies) =>
      JSON.stringify(bodies).includes('"type":"tool_finished"') ? 'before' : undefined,
    );
    const rm = toolNamed('rm', async () => 'removed');
    const asked: string[] = [];
    const answering = (who: string, behavior: 'allow' | 'deny') => ({
      tools: [rm],
      canUseTool: async () => {
        asked.push(who);
        return behavior === 'deny' ? { behavior, message: 'not that one' } : { behavior };
      },
    });
    const script = [{ toolCalls: [{ id: 'r', name: 'rm' }] }];
    const { session: old } = await scriptedSession(script, { store, ...answering('before', 'deny') });
    await old.send('Clean up.');
    void read(old).catch(() => undefined);
    await gone;
    const again = answering('after', 'allow');
    const { session, model } = await resumed(inner, old.sessionId, [{ text: 'Done.' }], again);

    const result = resultOf(await read(session));

    expect(result.subtype).toBe('success');
    expect(asked).toEqual(['before']);
    expect(shownTo(model, 0).at(-1)).toBe('tool: rm was not run: not that one');
    expect(JSON.stringify(await bodiesOf(inner, old.sessionId))).not.toContain('tool_started');
  });
});
