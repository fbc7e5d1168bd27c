import { fc, test } from '@fast-check/vitest';
import { defineTool, objectSchema } from '@x/core';
import { describe, expect } from 'vitest';
import {
  BUILTIN_TOOL_GROUPS,
  memoryRoleStore,
  Runtime,
  type ToolGroupDefinition,
  ToolGroupManager,
  type ToolModule,
} from '../src/index.ts';

const BUILTIN_IDS = Object.keys(BUILTIN_TOOL_GROUPS);
const RUNS = { numRuns: 100 };
const name = fc.string({ minLength: 1, maxLength: 12 });
const definition = fc.uniqueArray(name, { maxLength: 6 }).map((names) => groupOf(names));
/** Groups with ids of their own; tools of one name are the same everywhere. */
const groups = fc.uniqueArray(fc.tuple(name, definition), { maxLength: 6, selector: ([id]) => id });

describe('the eight properties of the specification', () => {
  test.prop([groups, name, definition], RUNS)(
    'Property 1: what is registered is there, and each of its tools is found in it',
    (before, id, added) => {
      const manager = managerWith(before);

      const answer = manager.registerGroup(id, added);

      expect(answer.ok).toBe(true);
      expect(manager.getAllGroupIds()).toContain(id);
      expect(namesOf(added.tools).map((tool) => manager.getToolGroup(tool))).toEqual(added.tools.map(() => id));
    },
  );

  test.prop([groups, name, definition], RUNS)(
    'Property 2: what is unregistered is gone, and its tools with it unless another group has them',
    (others, id, added) => {
      const manager = managerWith(others.filter(([other]) => other !== id));
      const before = namesOf(added.tools).map((tool) => manager.getToolGroup(tool));
      manager.registerGroup(id, added);

      expect(manager.unregisterGroup(id)).toEqual({ ok: true });

      expect(manager.getAllGroupIds()).not.toContain(id);
      expect(namesOf(added.tools).map((tool) => manager.getToolGroup(tool))).toEqual(before);
    },
  );

  test.prop([name, definition, definition, fc.boolean()], RUNS)(
    'Property 3: an id that is reserved is refused, and nothing changes',
    (id, first, second, isReserved) => {
      const manager = new ToolGroupManager();
      manager.registerGroup(id, first, true);
      const before = manager.listGroups();

      expect(manager.registerGroup(id, second, isReserved)).toEqual({ ok: false, error: 'reserved_group_id' });

      expect(manager.listGroups()).toEqual(before);
    },
  );

  test.prop([groups, fc.array(fc.nat({ max: 5 }))], RUNS)(
    'Property 4: the definitions of some groups are theirs, all of them, and each once',
    (registered, chosen) => {
      const manager = managerWith(registered);
      const ids = chosen.flatMap((at) => registered[at]?.[0] ?? []);

      const found = namesOf(manager.getToolDefinitions(ids));

      const all = registered.filter(([id]) => ids.includes(id)).flatMap(([, group]) => namesOf(group.tools));
      expect(new Set(found)).toEqual(new Set(all));
      expect(found).toHaveLength(new Set(found).size);
    },
  );

  test.prop([fc.subarray(BUILTIN_IDS), fc.constantFrom(...toolsOf(BUILTIN_IDS))], RUNS)(
    'Property 5: a call outside the groups of the role is refused with the name of the tool, and nothing runs',
    async (toolGroups, toolName) => {
      const { runtime, agentId, calls } = await runtimeWith({ toolGroups });

      const answer = await runtime.executeToolCall({ agent: { id: agentId } }, toolName, {});

      const refusal = { error: 'tool_not_available', toolName, message: `工具 ${toolName} 对此岗位不可用` };
      const isOwn = toolsOf(toolGroups).includes(toolName);
      expect(answer).toEqual(isOwn ? `${toolName} ran` : refusal);
      expect(calls).toEqual(isOwn ? [toolName] : []);
    },
  );

  test.prop([groups], RUNS)('Property 6: a list tells the id, the text and the right number of tools', (registered) => {
    const manager = managerWith(registered);

    expect(manager.listGroups()).toEqual(
      registered.map(([id, { description, tools }]) => ({
        id,
        description,
        toolCount: tools.length,
        tools: namesOf(tools),
      })),
    );
    expect(manager.getAllGroupIds()).toEqual(registered.map(([id]) => id));
  });

  const toolGroups = fc.option(fc.array(name), { nil: undefined });
  test.prop([toolGroups, fc.option(toolGroups, { nil: null })], RUNS)(
    'Property 7: the groups of a role are the same when it is loaded again, absent ones too, after a change too',
    async (first, second) => {
      const roles = memoryRoleStore();
      const one = new Runtime({ roles });
      await one.init();
      const given = first === undefined ? {} : { toolGroups: first };
      const { id } = await one.createRole({ name: 'a', rolePrompt: '', ...given });
      if (second !== undefined) await one.updateRole(id, { toolGroups: second });

      const other = new Runtime({ roles });
      await other.init();

      const expected = second === undefined ? first : (second ?? undefined);
      expect(other.getRole(id)?.toolGroups).toEqual(expected);
      expect(Object.hasOwn(other.getRole(id) ?? {}, 'toolGroups')).toBe(expected !== undefined);
    },
  );

  test.prop([fc.uniqueArray(fc.constantFrom('navigate', 'click', 'shot'), { maxLength: 3 })], RUNS)(
    'Property 8: a role that names no groups has the tools of all, those that come later included',
    async (later) => {
      const { runtime, agentId } = await runtimeWith({});

      await runtime.loadModule(moduleOf('chrome', later));

      const all = runtime.toolGroupManager.getToolDefinitions(runtime.toolGroupManager.getAllGroupIds());
      expect(runtime.getToolDefinitionsForAgent(agentId)).toEqual(all);
      expect(namesOf(all)).toEqual([...toolsOf(BUILTIN_IDS), ...later]);
    },
  );
});

async function runtimeWith(role: { readonly toolGroups?: readonly string[] }) {
  const calls: string[] = [];
  const tools = toolsOf(BUILTIN_IDS).map((toolName) =>
    defineTool({
      name: toolName,
      description: 'one of many',
      inputSchema: objectSchema({}),
      execute: async () => {
        calls.push(toolName);
        return `${toolName} ran`;
      },
    }),
  );
  const runtime = new Runtime({ tools });
  await runtime.init();
  const { id: roleId } = await runtime.createRole({ name: 'worker', rolePrompt: '', ...role });
  return { runtime, calls, agentId: runtime.createAgent({ roleId }).id };
}

function managerWith(groupList: readonly (readonly [string, ToolGroupDefinition])[]): ToolGroupManager {
  const manager = new ToolGroupManager();
  for (const [id, group] of groupList) manager.registerGroup(id, group);
  return manager;
}

function moduleOf(moduleName: string, tools: readonly string[]): ToolModule {
  return {
    name: moduleName,
    getToolDefinitions: () => groupOf(tools).tools,
    executeToolCall: () => 'done',
    init: () => undefined,
    shutdown: () => undefined,
  };
}

function groupOf(names: readonly string[]): ToolGroupDefinition {
  const tools = names.map((one) => ({
    type: 'function' as const,
    function: { name: one, description: `does ${one}`, parameters: { type: 'object' } },
  }));
  return { description: `has ${names.length}`, tools };
}

function namesOf(tools: ToolGroupDefinition['tools']): string[] {
  return tools.map((one) => one.function.name);
}

function toolsOf(groupIds: readonly string[]): string[] {
  return Object.entries(BUILTIN_TOOL_GROUPS).flatMap(([id, { tools }]) => (groupIds.includes(id) ? tools : []));
}
