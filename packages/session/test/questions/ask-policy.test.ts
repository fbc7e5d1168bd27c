import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import { memoryStore, prompt } from '../../src/index.ts';
import { echoTool, only, read, resultOf, say, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { paying, payTool } from '../support/waiting.ts';

const bash = (command: string) => ({ toolCalls: [{ id: 'b', name: 'Bash', input: { command } }] });

describe('askPolicy (V28)', () => {
  it('lets what nobody answered wait, and nothing else', async () => {
    const run = async (options: Partial<SessionOptions>) => {
      const { session } = await scriptedSession([bash('touch x'), { text: 'Done.' }], {
        allowedTools: ['Bash'],
        askPolicy: 'wait',
        ...options,
      });
      return resultOf(await say(session, 'Go.'));
    };

    expect((await run({})).subtype).toBe('waiting');
    expect((await run({ canUseTool: async () => ({ behavior: 'ask' }) })).subtype).toBe('waiting');
    expect((await run({ alwaysAsk: ['Bash'], permissionMode: 'bypassPermissions' })).subtype).toBe('waiting');
    expect((await run({ disallowedTools: ['Bash(touch *)'] })).subtype).toBe('success');
    expect((await run({ permissionMode: 'plan' })).subtype).toBe('success');
    expect((await run({ canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) })).subtype).toBe('success');
    expect((await run({ canUseTool: async () => Promise.reject(new Error('down')) })).subtype).toBe('success');
    expect((await run({ askPolicy: 'refuse' })).subtype).toBe('success');
  });

  it('asks about nothing that runs without a question: readonly tools, and the tools of the host', async () => {
    const said: string[] = [];
    const { pay, paid } = payTool();
    const toolCalls = [
      { id: 'e', name: 'echo', input: { text: 'a' } },
      { id: 'p', name: 'pay', input: { amount: 1 } },
    ];
    const { session } = await scriptedSession([{ toolCalls }, { text: 'Done.' }], {
      tools: [echoTool((text) => said.push(text)), pay],
      askPolicy: 'wait',
    });

    expect(resultOf(await say(session, 'Go.')).subtype).toBe('success');
    expect([said, paid]).toEqual([['a'], ['p 1']]);
  });

  it('goes on without canUseTool, once it is answered', async () => {
    const { session } = await scriptedSession([bash('echo here'), { text: 'Done.' }], {
      allowedTools: ['Bash'],
      askPolicy: 'wait',
    });
    await say(session, 'Go.');

    await session.answer('b', { behavior: 'allow' });
    const events = await read(session);

    expect(only(events, 'tool_result')).toMatchObject([{ output: expect.stringContaining('here'), isError: false }]);
  });
});

describe('prompt', () => {
  it('rejects with the questions and the session when its run waits', async () => {
    const { pay, paid } = payTool();
    const { provider } = scriptedProvider(paying);
    const options = { provider, model: 'm', tools: [pay], allowedTools: ['pay'], alwaysAsk: ['pay'] };

    const asking = prompt('Pay.', { ...options, askPolicy: 'wait', store: memoryStore() });

    await expect(asking).rejects.toMatchObject({
      code: 'RUN_WAITING',
      details: { sessionId: expect.any(String), questions: [{ callId: 'p1' }] },
    });
    expect(paid).toEqual([]);
  });
});
