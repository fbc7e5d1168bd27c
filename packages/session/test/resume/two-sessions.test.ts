import { describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { only, resultOf, say, scriptedProvider, toolNamed } from '../support/makers.ts';

describe('two sessions of one process', () => {
  it('share nothing: policy, environment, working directory, store and usage are each one’s own', async () => {
    const seen: string[][] = [];
    const see = toolNamed(
      'see',
      async (_, { cwd, env, sessionId }) => void seen.push([sessionId, cwd, env['WHO'] ?? '']),
      {
        kind: 'execute',
      },
    );
    const { provider } = scriptedProvider(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { toolCalls: [{ name: 'see' }, { name: 'see' }] } : { text: 'Done.' },
    );
    const make = (options: Partial<SessionOptions>) =>
      createSession({ provider, model: 'm', store: memoryStore(), tools: [see], allowedTools: ['see'], ...options });
    const one = await make({ cwd: '/tmp', env: { WHO: 'one' }, permissionMode: 'bypassPermissions' });
    const other = await make({ cwd: '/usr', env: { WHO: 'other' }, autoApprove: ['see'] });
    const fork = await one.fork();
    fork.setPermissionMode('plan');

    const [first, second, third] = await Promise.all([say(one, 'a'), say(other, 'b'), say(fork, 'c')]);
    other.setMaxTurns(1);
    one.setPermissionMode('plan');
    const [planned, limited] = await Promise.all([say(one, 'd'), say(other, 'e')]);

    expect(seen.slice(0, 4).toSorted((a, b) => a.join().localeCompare(b.join()))).toEqual(
      [
        [one.sessionId, '/tmp', 'one'],
        [one.sessionId, '/tmp', 'one'],
        [other.sessionId, '/usr', 'other'],
        [other.sessionId, '/usr', 'other'],
      ].toSorted((a, b) => a.join().localeCompare(b.join())),
    );
    expect([first, second, third, planned].map((events) => resultOf(events).subtype)).toEqual(Array(4).fill('success'));
    expect(only(third, 'tool_result').map(({ isError }) => isError)).toEqual([true, true]);
    expect(only(planned, 'tool_result').map(({ isError }) => isError)).toEqual([true, true]);
    expect(resultOf(limited).subtype).toBe('max_turns');
    expect((await fork.usage()).total.calls).toBe(2);
    expect((await other.usage()).total.calls).toBe(3);
  });
});
