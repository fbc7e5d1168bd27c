import { describe, expect, it } from 'vitest';
import { createSession, memoryStore } from '../../src/index.ts';
import { scriptedProvider } from '../support/makers.ts';

describe('matchers of hooks', () => {
  const mcpServers = { own: { command: '/no/such' }, other: { command: '/no/such' } };
  const make = async (matcher: string) => {
    const hooks = { PreToolUse: [{ matcher, hooks: [async () => undefined] }] };
    const { provider } = scriptedProvider([]);
    return await createSession({ provider, model: 'm', store: memoryStore(), mcpServers, hooks });
  };

  it.each([
    'mcp__own__echo',
    'mcp__own__.*',
    'mcp__.*',
    'Write|mcp__own__echo',
    'mcp__(own|other)__.*',
    'mcp__own.*',
    '.*__echo|Bash',
    'mcp__other__(read|write)_.*',
  ])('may be %s', async (matcher) => {
    const session = await make(matcher);
    expect(await session.mcpServerStatus()).toHaveLength(2);
    await session.close();
  });

  it.each([
    ['mcp__onw__echo', 'known are own, other'],
    ['mcp__own', 'speaks of no server'],
    ['mcp__own__', 'write mcp__own__.*'],
    ['mcp__own__*', 'write mcp__own__.*'],
    ['mcp__own__ec*', 'write mcp__own__ec.*'],
    ['mcp__onw__*', 'regular expression'],
    ['mcp__onw__.*', 'speaks of no server'],
    ['mcp__own__echo(x)', 'holds the rule'],
    ['mcp__own__echo,mcp__own__fail', 'joined by |'],
    [`mcp__own__${'a'.repeat(80)}`, 'the model sees'],
    ['Bash|mcp__onw__echo', 'speaks of no server'],
  ])('are refused as %s', async (matcher, why) => {
    await expect(make(matcher)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(why),
    });
  });
});
