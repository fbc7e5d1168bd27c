import type { AgentHandler, ToolCall } from '@x/core';
import { ToolGroupManager } from '@x/tool-groups';
import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import { only, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { workerRole } from '../support/roles.ts';

const role = workerRole({ toolGroups: ['own'] });
const named = { own: { description: 'Own.', tools: ['mine'] } };

/** A session with a tool of its role and one outside it, whose model makes one call; which tools ran, and the answers. */
async function trial(name: string, options: Partial<SessionOptions> = {}) {
  const ran: string[] = [];
  const tool = (one: string) => toolNamed(one, async () => void ran.push(one));
  const script = [{ toolCalls: [{ id: 'c', name, input: {} }] }, { text: 'Done.' }];
  const { session } = await scriptedSession(script, {
    allowedTools: undefined,
    role,
    toolGroups: named,
    permissionMode: 'bypassPermissions',
    tools: [tool('mine'), tool('other')],
    ...options,
  } as never);
  const results = only(await say(session, 'Begin.'), 'tool_result');
  await session.close();
  return { ran, results };
}

function managed(): ToolGroupManager {
  const manager = new ToolGroupManager();
  const mine = { type: 'function', function: { name: 'mine', description: '', parameters: {} } } as const;
  manager.registerGroup('own', { description: 'Own.', tools: [mine] });
  return manager;
}

describe('a role among hostile callers', () => {
  it.each(['Other', 'Mine', ' mine', 'mine ', 'mіne', 'mine\u200b', '__proto__', 'constructor', 'toString', ''])(
    'runs nothing for the name %j',
    async (name) => {
      const { ran, results } = await trial(name);

      expect(ran).toEqual([]);
      expect(results).toMatchObject([{ isError: true }]);
    },
  );

  it.each<[string, (call: ToolCall, other: ToolCall['tool']) => ToolCall]>([
    ['the name', (call) => ({ ...call, name: 'other' })],
    ['the tool', (call, tool) => ({ ...call, ...(tool ? { tool } : {}) })],
    ['both', (call, tool) => ({ ...call, name: 'other', ...(tool ? { tool } : {}) })],
  ])('judges what handlers have made of a call: %s', async (_, change) => {
    let other: ToolCall['tool'];
    const keep: AgentHandler['beforeAgent'] = (config) => {
      other = config.tools.find(({ tool }) => tool.name === 'other')?.tool;
    };
    const wide = await trial('mine', {
      handlers: [{ name: 'a', beforeAgent: keep, wrapToolCall: (call, next) => next(change(call, other)) }],
    });
    const invoked = await trial('mine', {
      handlers: [{ name: 'a', beforeAgent: keep, wrapInvokableToolCall: (call, next) => next(change(call, other)) }],
    });

    expect(other?.name).toBe('other');
    expect([...wide.ran, ...invoked.ran]).not.toContain('other');
    expect([...wide.results, ...invoked.results]).toMatchObject([{ isError: true }, { isError: true }]);
  });

  it('neither offers nor runs what a handler puts back', async () => {
    const kept: AgentHandler = {
      name: 'a',
      beforeAgent(config) {
        const [first] = config.tools;
        config.tools = [
          ...config.tools.map((one) => ({ ...one })),
          ...(first ? [{ ...first, tool: { ...first.tool, name: 'late' } }] : []),
        ];
      },
    };

    const { ran, results } = await trial('late', { handlers: [kept] });

    expect(ran).toEqual([]);
    expect(results).toMatchObject([{ isError: true }]);
  });

  it.each<[string, (revoke: () => void) => Partial<SessionOptions>]>([
    [
      'somebody is asked',
      (revoke) => ({
        permissionMode: 'default',
        canUseTool: async () => {
          revoke();
          return { behavior: 'allow' };
        },
      }),
    ],
    [
      'a hook thinks',
      (revoke) => ({ hooks: { PreToolUse: [{ hooks: [async () => (revoke(), { permissionDecision: 'allow' })] }] } }),
    ],
  ])('does not run a tool that left the groups while %s', async (_, options) => {
    const toolGroups = managed();

    const { ran, results } = await trial('mine', {
      toolGroups,
      ...options(() => void toolGroups.updateGroup('own', { description: 'Own.', tools: [] })),
    });
    const control = await trial('mine', { toolGroups: managed(), ...options(() => undefined) });

    expect(ran).toEqual([]);
    expect(results).toMatchObject([{ isError: true, output: '工具 mine 对此岗位不可用' }]);
    expect(control.ran).toEqual(['mine']);
  });

  it('reads its options once', async () => {
    let looks = 0;
    const shifting = {
      ...role,
      get toolGroups() {
        looks += 1;
        return looks === 1 ? ['own'] : ['own', 'others'];
      },
    };
    const groups = { ...named, others: { description: 'Others.', tools: ['other'] } };

    const { ran } = await trial('other', { role: shifting, toolGroups: groups });

    expect(ran).toEqual([]);
  });

  it('takes only true for an answer of live groups', async () => {
    const live = { isToolInGroups: async () => true, getAllGroupIds: () => ['own'] } as never;

    expect((await trial('mine', { toolGroups: live })).ran).toEqual([]);
  });

  it('takes ids that mean something to objects for what they are', async () => {
    const groups = JSON.parse('{"__proto__":{"description":"","tools":["mine"]}}') as typeof named;
    const own = { ...role, toolGroups: ['__proto__'] };

    expect((await trial('mine', { role: own, toolGroups: groups })).ran).toEqual(['mine']);
    await expect(trial('other', { role: { ...role, toolGroups: ['constructor'] } })).rejects.toMatchObject({
      field: 'role.toolGroups',
    });
  });
});
