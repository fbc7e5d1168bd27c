import { describe, expect, it } from 'vitest';
import { type HookConfig, type HookEvent, memoryStore, type SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { only, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { hookOn, noting, printing } from '../support/noting.ts';

describe('continue: false', () => {
  const stop = { continue: false, stopReason: 'closing time' };

  it.each<[HookEvent, Partial<SessionOptions>, number]>([
    ['PreToolUse', {}, 0],
    ['PostToolUse', {}, 1],
    ['PermissionRequest', { alwaysAsk: ['note'] }, 0],
    ['Notification', { autoApprove: ['mcp__none__such'] }, 0],
    ['UserPromptSubmit', {}, 0],
  ])('of %s ends the run with the reason, and the model is not asked again', async (event, options, runs) => {
    const { ran, result, model, session, events } = await noting({ hooks: hookOn(event, stop), ...options });

    expect(result).toMatchObject({ subtype: 'error', error: expect.stringContaining('closing time') });
    expect(only(events, 'error')).toMatchObject([{ code: 'STOPPED_BY_HOOK' }]);
    expect(ran).toHaveLength(runs);
    expect(model.requests.length).toBe(runs === 0 && event !== 'PreToolUse' && event !== 'PermissionRequest' ? 0 : 1);
    const asked = session.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    expect(asked).toHaveLength(model.requests.length); // the call has its answer
  });

  it('of PostToolUseFailure ends the run too', async () => {
    const { result, model } = await noting({ hooks: hookOn('PostToolUseFailure', stop) }, [
      { toolCalls: [{ name: 'fails' }] },
    ]);

    expect(result).toMatchObject({ subtype: 'error', error: expect.stringContaining('closing time') });
    expect(model.requests).toHaveLength(1);
  });

  it.each<[HookEvent, Partial<SessionOptions>]>([
    ['SubagentStart', {}],
    ['PreToolUse', {}],
  ])('of %s ends the runs around a subagent', async (event, options) => {
    const script = cast({
      main: [{ toolCalls: [task('one')] }],
      one: [{ toolCalls: [{ name: 'note' }] }],
    });
    const hooks: HookConfig = { [event]: [{ matcher: 'one|note', hooks: [printing(stop)] }] };

    const { result, ran, model } = await noting({ agents: agentsNamed('one'), hooks, ...options }, script);

    expect(result).toMatchObject({ subtype: 'error', error: expect.stringContaining('closing time') });
    expect(ran).toEqual([]);
    expect(model.requests).toHaveLength(event === 'SubagentStart' ? 1 : 2);
  });

  it.each<HookEvent>(['Stop', 'TaskCompleted'])('of %s lets the run end as it was about to', async (event) => {
    const { result, model } = await noting({ hooks: hookOn(event, stop) }, [{ text: 'Done.' }]);

    expect(result).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(model.requests).toHaveLength(1);
  });

  it('of SessionStart keeps the session from being made', async () => {
    const { provider } = scriptedProvider([]);
    const options = { provider, model: 'm', store: memoryStore(), hooks: hookOn('SessionStart', stop) };

    await expect(scriptedSession([], options)).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
  });
});
