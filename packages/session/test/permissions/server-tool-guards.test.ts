import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Script } from '@x/core/testing';
import { ToolGroupManager } from '@x/tool-groups';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CommandHook, SessionOptions } from '../../src/index.ts';
import { say, scriptedSession } from '../support/makers.ts';
import { workerRole } from '../support/roles.ts';

const NAME = 'mcp__own__echo';
const ROLE = workerRole({ toolGroups: ['own'] });
const groups = (tools: readonly string[]) => ({
  own: { description: 'Of the role.', tools: ['Task', 'Read', ...tools] },
});
const denies: CommandHook = { type: 'command', command: 'cat > /dev/null; exit 2' };
const block = async () => ({ permissionDecision: 'deny', permissionDecisionReason: 'no' }) as const;

function managed(tools: readonly string[]): ToolGroupManager {
  const manager = new ToolGroupManager();
  const definition = (name: string) =>
    ({ type: 'function', function: { name, description: name, parameters: {} } }) as const;
  manager.registerGroup('own', { description: 'Of the role.', tools: ['Task', ...tools].map(definition) });
  return manager;
}

/** A server of the official SDK, in this process. */
function server(): McpServer {
  const made = new McpServer({ name: 'own', version: '1' });
  const inputSchema = { text: z.string() };
  made.registerTool('echo', { description: 'Says it again.', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  made.registerTool('picture', { description: 'Draws.' }, () => ({ content: [] }));
  return made;
}

/** Everything that could let a call through is on in every cell. */
const open: Partial<SessionOptions> = {
  permissionMode: 'bypassPermissions',
  autoApprove: [NAME, 'mcp__own__*'],
  canUseTool: async () => ({ behavior: 'allow' }),
  agents: [{ name: 'worker', description: 'Works.' }],
  mcpStartWait: 45_000,
};
const guards: readonly (readonly [string, Partial<SessionOptions>])[] = [
  ['disallowedTools', { disallowedTools: [NAME] }],
  ['disallowedTools for the whole server', { disallowedTools: ['mcp__own__*'] }],
  ['allowedTools without it', { allowedTools: ['Task', 'Read'] }],
  ['allowedTools with another of the server', { allowedTools: ['Task', 'mcp__own__picture'] }],
  ['plan mode', { permissionMode: 'plan' }],
  ['a hook that denies', { hooks: { PreToolUse: [{ matcher: NAME, hooks: [block] }] } }],
  ['a hook for all of the server', { hooks: { PreToolUse: [{ matcher: 'mcp__own__.*', hooks: [block] }] } }],
  ['a hook that is a command and denies', { hooks: { PreToolUse: [{ matcher: NAME, hooks: [denies] }] } }],
  [
    'a rule that asks, and a person who refuses',
    { alwaysAsk: [NAME], canUseTool: async () => ({ behavior: 'deny', message: 'no' }) },
  ],
  [
    'a rule that asks about the server',
    { alwaysAsk: ['mcp__own__*'], canUseTool: async () => ({ behavior: 'deny', message: 'no' }) },
  ],
  ['a role without it', { role: ROLE, toolGroups: groups([]) }],
  ['a role whose groups are those of a manager', { role: ROLE, toolGroups: managed([]) }],
];

const DIRECT = { toolCalls: [{ name: NAME, input: { text: 'ran' } }] };
const FOUND = { toolCalls: [{ name: 'CallTool', input: { name: NAME, input: { text: 'ran' } } }] };
const TASK = {
  toolCalls: [{ name: 'Task', input: { subagent_type: 'worker', description: 'Work', prompt: 'Be worker.' } }],
};

/** The model makes the call once: by itself, or in an agent. */
function calling(reply: typeof DIRECT | typeof FOUND, isInAgent: boolean): Script {
  return ({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return { text: 'Done.' };
    const [first] = messages[0]!.content;
    return isInAgent && !(first?.type === 'text' && first.text === 'Be worker.') ? TASK : reply;
  };
}

const subjects: readonly (readonly [string, Script, Partial<SessionOptions>])[] = [
  ['the main agent', calling(DIRECT, false), {}],
  ['a subagent', calling(DIRECT, true), {}],
  ['a call of a found tool', calling(FOUND, false), { toolDiscovery: 'always' }],
  ['a call of a found tool in a subagent', calling(FOUND, true), { toolDiscovery: 'always' }],
];

describe.each(subjects)('a tool of a server, for %s', (_name, script, more) => {
  async function outcomes(guard: Partial<SessionOptions>) {
    const results: string[] = [];
    const observer = {
      name: 'observer',
      onEvent(event: {
        readonly type: string;
        readonly name?: string;
        readonly output?: string;
        readonly isError?: boolean;
      }) {
        if (event.type === 'tool_result' && [NAME, 'CallTool'].includes(event.name ?? ''))
          results.push(`${event.isError ? '! ' : ''}${event.output}`);
      },
    };
    const mcpServers = { own: { type: 'sdk', instance: server() } };
    const options = { allowedTools: undefined, mcpServers, ...open, ...more, handlers: [observer], ...guard };
    const { session } = await scriptedSession(script, options as never);
    await say(session, 'Begin.');
    await session.close();
    return results;
  }

  it.each(guards)('never runs under %s', async (_guard, guard) => {
    expect(await outcomes(guard)).toEqual([expect.stringMatching(/^! (?!ran$)/)]);
  });

  it.each([
    ['nothing guards it', {}],
    ['a list has the server', { allowedTools: ['Task', 'mcp__own__*'] }],
    ['its role has it in a group', { role: ROLE, toolGroups: groups([NAME]) }],
    ['a manager has it in a group of its role', { role: ROLE, toolGroups: managed([NAME]) }],
  ])('runs when %s, so that the cells above mean something', async (_guard, guard) => {
    expect(await outcomes(guard)).toEqual(['ran']);
  });
});
