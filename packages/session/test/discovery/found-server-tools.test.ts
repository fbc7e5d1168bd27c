import type { Script } from '@x/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stdio } from '../../../mcp/test/support/servers.ts';
import type { SessionOptions } from '../../src/index.ts';
import { only, say, scriptedProvider, scriptedSession } from '../support/makers.ts';

const search = (query: string) => ({ name: 'ToolSearch', input: { query } });
const call = (name: string, input: object = {}) => ({ name: 'CallTool', input: { name, input } });
const echo = (text: string) => call('mcp__own__echo', { text });
const usual: Partial<SessionOptions> = {
  mcpServers: { own: stdio() },
  mcpStartWait: 45_000,
  toolDiscovery: { thresholdTokens: 50 },
  permissionMode: 'bypassPermissions',
};

async function calling(calls: readonly { name: string; input: object }[], options: Partial<SessionOptions> = {}) {
  const script: Script = ({ messages }) => {
    const begun = messages.findLastIndex(({ role }) => role === 'user');
    const next = calls[(messages.length - 1 - begun) / 2];
    return next ? { toolCalls: [next] } : { text: 'Done.' };
  };
  const { provider, models } = scriptedProvider(script);
  const { session } = await scriptedSession(script, {
    allowedTools: undefined as never,
    ...usual,
    provider,
    ...options,
  });
  onTestFinished(() => session.close());
  const ask = async () =>
    only(await say(session, 'Begin.'), 'tool_result').map(({ output, isError }) => (isError ? `! ${output}` : output));
  const offered = (turn: number) => models[0]!.requests.at(turn)!.tools.map(({ name }) => name);
  return { session, ask, offered };
}

describe('tools of servers with toolDiscovery', () => {
  it('are found and called when their definitions are above the threshold', async () => {
    const { ask, offered } = await calling([search('echo'), echo('hello')]);
    const [found, said] = await ask();
    expect(found).toContain('"mcp__own__echo"');
    expect(said).toBe('hello');
    expect(offered(0).filter((name) => name.startsWith('mcp__'))).toEqual([]);
  });

  it('are sent below it', async () => {
    const { ask, offered } = await calling([], { toolDiscovery: 'auto' });
    await ask();
    expect(offered(0)).toContain('mcp__own__echo');
    expect(offered(0)).not.toContain('ToolSearch');
  });

  it('leave a tool of the host where it is, unless the host has as many', async () => {
    const own = { name: 'tiny', description: 'A tool.', inputSchema: { type: 'object' }, execute: async () => 'x' };
    const { ask, offered } = await calling([], { tools: [own] });
    await ask();
    expect(offered(0)).toEqual(expect.arrayContaining(['tiny', 'ToolSearch', 'CallTool']));
  });

  it('run only as the rules say: nobody can be asked, and only one is allowed', async () => {
    const options = { permissionMode: 'default', autoApprove: ['mcp__own__echo'] } as const;
    const { ask } = await calling([search('picture'), call('mcp__own__picture'), echo('allowed')], options);
    const [found, refused, allowed] = await ask();
    expect(found).toContain('"mcp__own__picture"');
    expect([refused, allowed]).toEqual([expect.stringMatching(/^! .*not run/), 'allowed']);
  });

  it('are found and run only by their lists', async () => {
    const { ask } = await calling([search('echo picture'), echo('1'), call('mcp__own__picture')], {
      allowedTools: ['mcp__own__picture'],
      toolDiscovery: 'always',
    });
    const [found, refused, picture] = await ask();
    expect(found).not.toContain('"mcp__own__echo"');
    expect(found).toContain('"mcp__own__picture"');
    expect(refused).toMatch(/^! /);
    expect(picture).not.toMatch(/^!/);
  });

  it('are gone from the search when their server is', async () => {
    const { session, ask } = await calling([search('echo'), echo('1')]);
    await session.mcpDisconnect('own');
    const [found, gone] = await ask();
    expect(found).not.toContain('"mcp__own__echo"');
    expect(gone).toMatch(/^! /);
    await session.mcpConnect('own');
    expect(await ask()).toEqual([expect.stringContaining('"mcp__own__echo"'), '1']);
  });
});

describe('an agent with all tools of a server', () => {
  it.each<[string, SessionOptions['toolDiscovery']]>([
    ['has them', 'off'],
    ['finds them', 'always'],
  ])('%s', async (_, toolDiscovery) => {
    const agents = [{ name: 'clerk', description: 'Says things.', tools: ['mcp__own__*'] }];
    const script: Script = ({ messages, tools }) => {
      if (messages.length > 1)
        return {
          text: messages
            .at(-1)!
            .content.map((one) => ('output' in one ? one.output : ''))
            .join(),
        };
      if (tools.some(({ name }) => name === 'Bash')) {
        return {
          toolCalls: [{ name: 'Task', input: { subagent_type: 'clerk', description: 'x', prompt: 'Say it.' } }],
        };
      }
      return {
        toolCalls: [
          tools.some(({ name }) => name === 'CallTool')
            ? echo('said')
            : { name: 'mcp__own__echo', input: { text: 'said' } },
        ],
      };
    };
    const { session } = await scriptedSession(script, {
      allowedTools: undefined as never,
      ...usual,
      ...(toolDiscovery ? { toolDiscovery } : {}),
      agents,
    });
    onTestFinished(() => session.close());

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result')).toMatchObject([{ name: 'Task', output: 'said' }]);
  });
});
