import { defineTool, objectSchema, type Tool, type ToolContext } from '@x/core';
import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { memoryRoleStore, type NewRole, type Role, Runtime, type RuntimeOptions } from '../src/index.ts';
import type { NewSpawn } from '../src/internal.ts';
import { memoryOrganization } from '../src/testing/index.ts';

describe('Runtime among hostile callers', () => {
  it.each([
    ['a name that cannot be written', { agent: { id: 'root' } }, Object.create(null)],
    ['a name that throws', { agent: { id: 'root' } }, { toString: throwing }],
    ['no name', { agent: { id: 'root' } }, undefined],
    ['a list around the name', { agent: { id: 'root' } }, ['create_role']],
    ['an agent that throws', throwingProxy(), 'create_role'],
    ['an id that throws', { agent: throwingProxy() }, 'create_role'],
    ['no context', null, 'create_role'],
    ['an id that is no text', { agent: { id: { toString: () => 'root' } } }, 'create_role'],
    ['a signal that is none', { agent: { id: 'root' }, signal: {} }, 'create_role'],
  ])('answers, and does nothing: %s', async (_, context, toolName) => {
    const runtime = await started();

    const answer = await runtime.executeToolCall(context as never, toolName as never, role());

    expect(answer).toMatchObject({ error: expect.any(String), message: expect.any(String) });
    expect(runtime.listRoles()).toEqual([]);
  });

  it.each(['Root', 'ROOT', ' root', 'root ', 'rооt', 'root\u0000', '__proto__', 'constructor'])(
    'takes the id %j for nobody',
    async (id) => {
      const runtime = await started();

      expect(await runtime.executeToolCall({ agent: { id } }, 'create_role', role())).toMatchObject({
        error: 'tool_not_available',
      });
      expect(runtime.getToolDefinitionsForAgent(id)).toEqual([]);
    },
  );

  it.each(['Create_Role', 'create_role ', 'crеate_role', 'create_role\u200b', '__proto__', 'constructor', 'toString'])(
    'takes the name %j for that of no tool',
    async (toolName) => {
      const runtime = await started();

      expect(await runtime.executeToolCall({ agent: { id: 'root' } }, toolName, role())).toMatchObject({
        error: 'unknown_tool',
        toolName,
      });
    },
  );

  it('reads a role to be made once: what is looked at is what is made', async () => {
    const runtime = await started();
    const creator = await agentWith(runtime, ['org_management', 'console']);
    const shifting = (own: object) => turning(own, 'toolGroups', [['console'], ['command'], ['command']]);
    const list = turningList(['console'], ['command']);

    await runtime.createRole(shifting({ ...role(), createdBy: creator }) as NewRole).catch(() => undefined);
    await runtime.createRole({ ...role(), name: 'other', createdBy: creator, toolGroups: list }).catch(() => undefined);
    await runtime.executeToolCall({ agent: { id: creator } }, 'create_role', shifting({ ...role(), name: 'third' }));

    expect(madeBy(runtime, creator).flatMap(({ toolGroups = [] }) => toolGroups)).not.toContain('command');
  });

  it('reads an agent to be made once: its creator is the one that was looked at', async () => {
    const runtime = await started();
    const creator = await agentWith(runtime, ['org_management', 'console']);
    const { id: roleId } = await runtime.createRole({ ...role(), toolGroups: ['console'] });
    const { id: wide } = await runtime.createRole({ ...role(), name: 'wide', toolGroups: ['command'] });

    const asked = turning({ createdBy: creator }, 'roleId', [roleId, roleId, wide, wide]) as NewSpawn;
    const { id } = await runtime.spawnAgent(asked);
    const other = turning({ roleId }, 'createdBy', [creator, creator, creator, 'root', 'root']) as NewSpawn;
    const made = await runtime.spawnAgent(other);

    expect(runtime.getAgent(id)?.roleId).toBe(roleId);
    expect(made.createdBy).toBe(creator);
  });

  it('makes one role of a name, however many ask at once', async () => {
    const runtime = await started();
    const create = (name: string) =>
      runtime.executeToolCall({ agent: { id: 'root' } }, 'create_role', { ...role(), name });

    const answers = await Promise.all([create('one'), create('one'), create('one')]);

    expect(runtime.listRoles()).toHaveLength(1);
    expect(answers.filter((answer) => (answer as { error?: string }).error === 'role_exists')).toHaveLength(2);
  });

  it('changes a role as the store has it, so that what another process took away does not come back', async () => {
    const roles = memoryRoleStore();
    const [one, other] = [await started({ roles }), await started({ roles })];
    const { id } = await one.createRole({ ...role(), toolGroups: ['command', 'console'] });
    const { id: gone } = await one.createRole({ ...role(), name: 'gone', toolGroups: ['command'] });
    await other.reloadRoles();

    await one.updateRole(id, { toolGroups: ['console'] });
    await one.deleteRole(gone);
    await other.updateRole(id, { rolePrompt: 'New.' });
    const again = other.updateRole(gone, { rolePrompt: 'New.' });

    await expect(again).rejects.toMatchObject({ code: 'ROLE_NOT_FOUND' });
    expect(await roles.list()).toMatchObject([{ id, rolePrompt: 'New.', toolGroups: ['console'] }]);
    expect(other.getRole(id)?.toolGroups).toEqual(['console']);
    expect(other.getRole(gone)).toBeUndefined();
  });

  it('keeps what it was made with, whatever becomes of the options', async () => {
    const options = { defaultToolGroups: ['console'], tools: [say()] };
    const runtime = await started(options);
    const id = await agentWith(runtime, undefined);

    options.defaultToolGroups.push('command');
    (options as RuntimeOptions as { defaultToolGroups: string }).defaultToolGroups = 'all';

    expect(runtime.toolGroupsOf(id)).toEqual(['console']);
  });

  it.each<[string, (runtime: Runtime, roleId: string) => unknown]>([
    ['id', (runtime, roleId) => runtime.createAgent({ roleId, id: 5 as never })],
    ['id', (runtime, roleId) => runtime.createAgent({ roleId, id: '' })],
    ['roleId', (runtime) => runtime.createAgent({} as never)],
    ['createdBy', (runtime, roleId) => runtime.createAgent({ roleId, createdBy: null as never })],
    ['task', (runtime, roleId) => runtime.spawnAgent({ roleId, task: {} as never })],
    ['text', (runtime) => runtime.sendMessage({ to: 'root', text: 5 as never })],
    ['to', (runtime) => runtime.sendMessage({ text: 'Hi.' } as never)],
  ])('refuses an agent or a message whose %s is no text', async (field, act) => {
    const runtime = await started();
    const { id } = await runtime.createRole(role());

    await expect((async () => await act(runtime, id))()).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field });
  });

  it('knows root by its id: a role of that id gives nothing', async () => {
    const roles = memoryRoleStore();
    const facts = { rolePrompt: '', createdBy: 'root', createdAt: '2026-01-11T08:00:00.000Z', llmServiceId: null };
    await roles.save({ ...facts, id: 'root', name: 'root', status: 'active', toolGroups: ['console'] });
    const runtime = await started({ roles });
    const { id } = runtime.createAgent({ roleId: 'root' });

    expect(runtime.toolGroupsOf(id)).toEqual(['console']);
    expect(runtime.toolGroupsOf('root')).toEqual(['org_management']);
  });

  it('gives a child nothing from the moment its creator has it no more, grandchildren as well', async () => {
    const runtime = await started({ tools: [say()] });
    const top = await agentWith(runtime, ['org_management', 'console']);
    const { roleId } = runtime.getAgent(top)!;
    const child = (await runtime.spawnAgent({ roleId, createdBy: top })).id;
    const { id: other } = await runtime.createRole({ ...role(), name: 'leaf', toolGroups: ['console'] });
    const leaf = (await runtime.spawnAgent({ roleId: other, createdBy: child })).id;
    const tools = [top, child, leaf].map(
      (id) => runtime.toolsForAgent(id).find(({ name }) => name === 'console_print')!,
    );
    const said = () =>
      Promise.all(
        [top, child, leaf].map((id) => runtime.executeToolCall({ agent: { id } }, 'console_print', { text: 'a' })),
      );

    expect(await said()).toEqual(['a', 'a', 'a']);
    await runtime.updateRole(roleId, { status: 'inactive' });
    expect(await said()).toMatchObject(Array(3).fill({ error: 'tool_not_available' }));
    expect(await Promise.all(tools.map(resultOf))).toMatchObject(
      Array(3).fill({ isError: true, interrupted: 'not_run' }),
    );
    await runtime.updateRole(roleId, { status: 'active' });
    expect(await said()).toEqual(['a', 'a', 'a']);
    await runtime.deleteRole(roleId);
    expect(await said()).toMatchObject(Array(3).fill({ error: 'tool_not_available' }));
  });

  it('gives the tools of an ended agent to nobody, and not to the next one of its id', async () => {
    const runtime = await started({ tools: [say()] });
    const { id: roleId } = await runtime.createRole({ ...role(), toolGroups: ['console'] });
    await runtime.spawnAgent({ roleId, id: 'worker' });
    const [tool] = runtime.toolsForAgent('worker');
    await runtime.terminateAgent('worker');

    expect(await resultOf(tool!)).toMatchObject({ isError: true });
    await runtime.spawnAgent({ roleId, id: 'worker' });
    expect(await resultOf(tool!)).toMatchObject({ isError: true });
    expect(await resultOf(runtime.toolsForAgent('worker')[0]!)).toMatchObject({ output: 'a' });
  });
});

function role(): NewRole {
  return { name: 'some', rolePrompt: 'You work.' };
}

function say() {
  return defineTool({
    name: 'console_print',
    description: 'says it',
    inputSchema: objectSchema({ text: { type: 'string', description: 'what' } }),
    execute: async ({ text }) => text,
  });
}

async function started(options: RuntimeOptions = {}): Promise<Runtime> {
  const runtime = new Runtime({ organization: memoryOrganization(), ...options });
  await runtime.init();
  return runtime;
}

async function agentWith(runtime: Runtime, toolGroups: readonly string[] | undefined): Promise<string> {
  const made = await runtime.createRole({ ...role(), name: 'creator', ...(toolGroups ? { toolGroups } : {}) });
  return (await runtime.spawnAgent({ roleId: made.id })).id;
}

function madeBy(runtime: Runtime, agentId: string): readonly Role[] {
  return runtime.listRoles().filter(({ createdBy }) => createdBy === agentId);
}

function throwing(): never {
  throw new Error('not like this');
}

function throwingProxy(): object {
  return new Proxy({}, { get: throwing });
}

/** The object, whose field is something else at each look; the last value stays. */
function turning(own: object, field: string, values: readonly unknown[]): object {
  let looks = 0;
  return Object.defineProperty({ ...own }, field, {
    enumerable: true,
    get: () => values[Math.min(looks++, values.length - 1)],
  });
}

/** A list that is harmless when it is first read. */
function turningList(first: readonly string[], later: readonly string[]): readonly string[] {
  let reads = 0;
  return new Proxy(first, {
    get(target, key) {
      if (key === 'filter' || key === Symbol.iterator) reads += 1;
      const list = reads > 1 ? later : target;
      const value: unknown = Reflect.get(list, key);
      return typeof value === 'function' ? value.bind(list) : value;
    },
  });
}

async function resultOf(tool: Tool): Promise<unknown> {
  const context = { workspace: memoryWorkspace(), signal: new AbortController().signal } as unknown as ToolContext;
  return (await collect(tool.execute({ text: 'a' }, context))).value;
}
