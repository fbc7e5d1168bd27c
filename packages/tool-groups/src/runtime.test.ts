import {
  defineTool,
  type Logger,
  objectSchema,
  silentLogger,
  type Tool,
  type ToolStream,
  ValidationError,
} from '@x/core';
import type { FunctionDefinition } from '@x/registry';
import { describe, expect, it, vi } from 'vitest';
import { BUILTIN_TOOL_GROUPS } from './builtin-tool-groups.ts';
import { memoryRoleStore } from './memory-role-store.ts';
import type { ToolModule } from './module.ts';
import { Runtime } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { memoryOrganization } from './testing/index.ts';

const ALL_TOOLS = Object.values(BUILTIN_TOOL_GROUPS).flatMap(({ tools }) => tools);

describe('Runtime', () => {
  it('has the seven built-in groups, reserved, and the modules of its configuration after init', async () => {
    const runtime = await started({ config: { modules: [chrome(), { module: chrome('two'), config: { a: 1 } }] } });

    expect(runtime.toolGroupManager.getAllGroupIds()).toEqual([...Object.keys(BUILTIN_TOOL_GROUPS), 'chrome', 'two']);
    expect(runtime.toolGroupManager.registerGroup('workspace', { description: '', tools: [] })).toMatchObject({
      error: 'reserved_group_id',
    });
    expect(runtime.moduleReports().map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('gives each role of the diagram exactly its tools', async () => {
    const runtime = await started({ config: { modules: [chrome()] } });
    const developer = await agentOf(runtime, ['workspace', 'command']);
    const tester = await agentOf(runtime, ['chrome', 'workspace']);
    const workspace = ['read_file', 'write_file', 'list_files', 'get_workspace_info'];

    expect(namesFor(runtime, developer)).toEqual([...workspace, 'run_command', 'run_javascript']);
    expect(namesFor(runtime, tester)).toEqual(['navigate', 'click', ...workspace]);
    expect(namesFor(runtime, 'root')).toEqual(BUILTIN_TOOL_GROUPS.org_management.tools);
  });

  it('gives a role that names no groups the tools of all, one with an empty list none', async () => {
    const runtime = await started();
    const everything = await agentOf(runtime);
    const nothing = await agentOf(runtime, []);
    await runtime.loadModule(chrome());

    expect(namesFor(runtime, everything)).toEqual([...ALL_TOOLS, 'navigate', 'click']);
    expect(namesFor(runtime, nothing)).toEqual([]);
  });

  it('warns once that such a role gets everything, unless the host says what it gets', async () => {
    const warnings: string[] = [];
    const logger: Logger = { ...silentLogger, warn: (_, text = '') => void warnings.push(text) };
    const runtime = await started({ logger });
    const one = await agentOf(runtime);
    namesFor(runtime, one);
    namesFor(runtime, await agentOf(runtime));
    const careful = await started({ logger, defaultToolGroups: ['network'] });
    const other = await agentOf(careful);

    expect(namesFor(careful, other)).toEqual(['http_request']);
    expect(warnings).toEqual(['role_without_tool_groups_gets_all']);
  });

  it('puts tools of the host into its own groups before anybody can act', async () => {
    const toolGroups = { publishing: { description: 'Out.', tools: ['publish'] } };
    const runtime = await started({ tools: [echo('publish')], toolGroups });
    const id = await agentOf(runtime, ['publishing']);

    expect(namesFor(runtime, id)).toEqual(['publish']);
    expect(await call(runtime, id, 'publish', { text: 'x' })).toBe('x');
    expect(runtime.toolGroupManager.getGroup('publishing')?.isReserved).toBe(false);
  });

  it('has nothing for nobody, for a role that is gone and for an inactive one', async () => {
    const runtime = await started();
    const gone = await agentOf(runtime, ['network']);
    const asleep = await agentOf(runtime, ['network']);
    await runtime.deleteRole(roleOf(runtime, gone));
    await runtime.updateRole(roleOf(runtime, asleep), { status: 'inactive' });

    for (const agentId of ['nobody', '__proto__', gone, asleep]) {
      expect(runtime.getToolDefinitionsForAgent(agentId)).toEqual([]);
      expect(await call(runtime, agentId, 'http_request')).toMatchObject({ error: 'tool_not_available' });
    }
    await runtime.updateRole(roleOf(runtime, asleep), { status: 'active' });
    expect(namesFor(runtime, asleep)).toEqual(['http_request']);
  });

  it('refuses a tool outside the role word by word, and does not call it', async () => {
    const calls: unknown[] = [];
    const runtime = await started({ config: { modules: [chrome('chrome', (...call) => calls.push(call))] } });
    const agentId = await agentOf(runtime, ['workspace']);

    expect(await call(runtime, agentId, 'navigate')).toEqual({
      error: 'tool_not_available',
      toolName: 'navigate',
      message: '工具 navigate 对此岗位不可用',
    });
    expect(await call(runtime, 'root', 'navigate')).toMatchObject({ error: 'tool_not_available' });
    expect(calls).toEqual([]);
  });

  it('says so when a tool is registered nowhere, and when nothing was handed in that runs it', async () => {
    const runtime = await started();
    const agentId = await agentOf(runtime, ['workspace']);

    expect(await call(runtime, agentId, 'read_mind')).toEqual({
      error: 'unknown_tool',
      toolName: 'read_mind',
      message: '工具 read_mind 不存在',
    });
    expect(await call(runtime, agentId, 'read_file')).toMatchObject({
      error: 'tool_not_implemented',
      toolName: 'read_file',
      message: expect.stringContaining('read_file') as unknown,
    });
  });

  it('takes the agent from the context, and refuses one that is missing or contradicts itself', async () => {
    const runtime = await started({ tools: [echo('http_request')] });
    const agentId = await agentOf(runtime, ['network']);
    const other = await agentOf(runtime, []);
    const run = (agent: object) => runtime.executeToolCall({ ...agent }, 'http_request', { text: 'x' });

    expect(await run({ agent: { id: agentId } })).toBe('x');
    expect(await run({ agent: { id: agentId, roleId: roleOf(runtime, agentId) } })).toBe('x');
    for (const [id, roleId] of [
      [agentId, roleOf(runtime, other)],
      [other, roleOf(runtime, agentId)],
    ]) {
      expect(await run({ agent: { id, roleId } })).toMatchObject({ error: 'tool_not_available' });
    }
    expect(await run({})).toMatchObject({ error: 'tool_not_available' });
    expect(await run({ agent: null })).toMatchObject({ error: 'tool_not_available' });
    expect(await runtime.executeToolCall(undefined as never, 'http_request', {})).toMatchObject({
      error: 'tool_not_available',
    });
  });

  it('hands context and arguments to the module as they are, and answers with its value', async () => {
    const calls: unknown[][] = [];
    const module = chrome('chrome', (...call) => {
      calls.push(call);
      return { page: 1 };
    });
    const runtime = await started({ config: { modules: [module] } });
    const ctx = { agent: { id: await agentOf(runtime, ['chrome']) }, trace: 'abc' };
    const args = { url: 'x' };

    expect(await runtime.executeToolCall(ctx, 'navigate', args)).toEqual({ page: 1 });

    expect(calls).toEqual([[ctx, 'navigate', args]]);
    expect(calls[0]?.[0]).toBe(ctx);
    expect(calls[0]?.[2]).toBe(args);
  });

  it('answers with what a tool threw', async () => {
    const module = chrome('chrome', () => {
      throw new Error('no browser');
    });
    const runtime = await started({ config: { modules: [module] }, tools: [echo('http_request')] });
    const agentId = await agentOf(runtime);

    expect(await call(runtime, agentId, 'navigate')).toEqual({
      error: 'tool_execution_error',
      toolName: 'navigate',
      message: 'no browser',
    });
    expect(await call(runtime, agentId, 'http_request', { wrong: 1 })).toMatchObject({
      error: 'validation_error',
      toolName: 'http_request',
    });
  });

  it('ends the wait for a tool when the caller or the agent is gone', async () => {
    const module = chrome('chrome', () => new Promise(() => undefined));
    const runtime = await started({ config: { modules: [module] } });
    const [one, two] = [await agentOf(runtime, ['chrome']), await agentOf(runtime, ['chrome'])];
    const controller = new AbortController();
    const ctx = { agent: { id: one }, signal: controller.signal };
    const [first, second] = [runtime.executeToolCall(ctx, 'click', {}), call(runtime, two, 'click')];

    controller.abort();
    await runtime.terminateAgent(two);

    expect(await first).toMatchObject({ error: 'aborted', toolName: 'click' });
    expect(await second).toMatchObject({ error: 'aborted' });
    expect(await runtime.executeToolCall(ctx, 'click', {})).toMatchObject({ error: 'aborted' });
  });

  it('ends the wait for a tool of the host when it is shut down, and runs none from then on', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const stuck: Tool = {
      ...echo('http_request'),
      async *execute(_, { signal }): ToolStream {
        signals.push(signal);
        return await new Promise<never>(() => undefined);
      },
    };
    const runtime = await started({ tools: [stuck] });
    const id = await agentOf(runtime);
    const waiting = call(runtime, id, 'http_request', { text: 'x' });
    await vi.waitFor(() => expect(signals).toHaveLength(1));

    await runtime.shutdown();

    expect(await waiting).toMatchObject({ error: 'aborted' });
    expect(await call(runtime, id, 'http_request', { text: 'x' })).toMatchObject({ error: 'tool_not_available' });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it('stays closed when it is shut down while it starts', async () => {
    const gate = Promise.withResolvers<void>();
    const roles = memoryRoleStore();
    const runtime = new Runtime({ roles: { ...roles, list: () => gate.promise.then(() => roles.list()) } });
    const starting = runtime.init();
    const ending = runtime.shutdown();
    gate.resolve();
    await Promise.all([starting, ending]);

    expect(runtime.getToolDefinitionsForAgent('root')).toEqual([]);
    await expect(role(runtime)).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' });
  });

  it('lets nobody reserve another group once it has started', async () => {
    const runtime = await started();
    const own = { description: '', tools: [] };

    expect(runtime.toolGroupManager.registerGroup('own', own, true)).toEqual({
      ok: false,
      error: 'reservation_not_allowed',
    });
    expect(runtime.toolGroupManager.registerGroup('own', own)).toEqual({ ok: true });
  });

  it('gives a child no more than its creator has, also after either role has changed', async () => {
    const runtime = await started({ organization: memoryOrganization() });
    const parent = await agentOf(runtime, ['workspace', 'org_management']);
    const role = await runtime.createRole({ name: 'child', rolePrompt: '', toolGroups: ['workspace'] });
    const { id: child } = await runtime.spawnAgent({ roleId: role.id, createdBy: parent });

    await runtime.updateRole(role.id, { toolGroups: ['workspace', 'network'] });
    expect(runtime.toolGroupsOf(child)).toEqual(['workspace']);
    expect(await call(runtime, child, 'http_request')).toMatchObject({ error: 'tool_not_available' });

    await runtime.updateRole(roleOf(runtime, parent), { toolGroups: ['network'] });
    expect(runtime.toolGroupsOf(child)).toEqual(['network']);

    await runtime.deleteRole(roleOf(runtime, parent));
    expect(runtime.toolGroupsOf(child)).toEqual([]);
  });

  it('refuses to hand out more than the one who asks has; root hands out any group there is', async () => {
    const runtime = await started({ organization: memoryOrganization() });
    const parent = await agentOf(runtime, ['workspace', 'org_management']);
    const wide = await runtime.createRole({ name: 'wide', rolePrompt: '', toolGroups: ['network'] });

    await expect(runtime.spawnAgent({ roleId: wide.id, createdBy: parent })).rejects.toMatchObject({
      code: 'TOOL_GROUPS_EXCEEDED',
      details: { toolGroups: ['network'] },
    });
    const asked = { name: 'mine', rolePrompt: 'Work.', toolGroups: ['network'] };
    expect(await call(runtime, parent, 'create_role', asked)).toMatchObject({ error: 'tool_groups_exceeded' });
    expect(await call(runtime, parent, 'spawn_agent', { roleId: wide.id })).toMatchObject({
      error: 'tool_groups_exceeded',
      toolName: 'spawn_agent',
    });
    expect(await call(runtime, 'root', 'create_role', { ...asked, toolGroups: ['nets'] })).toMatchObject({
      error: 'unknown_tool_group',
    });
    expect(await call(runtime, 'root', 'create_role', asked)).toMatchObject({ name: 'mine' });
  });

  it('enters an agent that was there before, whatever became of its role, and gives it what is left', async () => {
    const runtime = await started();
    const parent = await agentOf(runtime, ['workspace']);
    const wide = await role(runtime);
    await runtime.updateRole(wide.id, { toolGroups: ['workspace', 'network'], status: 'inactive' });

    const { id } = runtime.createAgent({ roleId: wide.id, createdBy: parent, id: 'again' });

    expect(runtime.toolGroupsOf(id)).toEqual([]);
    await runtime.updateRole(wide.id, { status: 'active' });
    expect(runtime.toolGroupsOf(id)).toEqual(['workspace']);
  });

  it('spawns, messages and terminates through its organisation, with both spawning tools alike', async () => {
    const organization = memoryOrganization();
    const runtime = await started({ organization });
    const { id: roleId } = await runtime.createRole({ name: 'worker', rolePrompt: 'Work.', toolGroups: ['network'] });
    const one = (await call(runtime, 'root', 'spawn_agent', { roleId })) as { agentId: string };
    const two = (await call(runtime, 'root', 'spawn_agent_with_task', { roleId, task: 'go' })) as { agentId: string };

    await call(runtime, 'root', 'send_message', { to: one.agentId, text: 'hello' });
    await call(runtime, 'root', 'terminate_agent', { agentId: two.agentId });

    expect(organization.agents()).toMatchObject([
      { id: one.agentId, roleId, createdBy: 'root', role: { name: 'worker' } },
    ]);
    expect(organization.mailOf(one.agentId)).toMatchObject([{ from: 'root', to: one.agentId, text: 'hello' }]);
    expect(namesFor(runtime, one.agentId)).toEqual(['http_request']);
    expect(namesFor(runtime, two.agentId)).toEqual([]);
    expect(await call(runtime, 'root', 'find_role_by_name', { name: 'worker' })).toMatchObject({
      role: { id: roleId },
    });
  });

  it('has no implementation of what needs an organisation when there is none', async () => {
    const runtime = await started();

    expect(await call(runtime, 'root', 'spawn_agent', { roleId: 'x' })).toMatchObject({
      error: 'tool_not_implemented',
    });
    expect(await call(runtime, 'root', 'find_role_by_name', { name: 'x' })).toMatchObject({ role: null });
    await expect(runtime.spawnAgent({ roleId: (await role(runtime)).id })).rejects.toMatchObject({
      code: 'NO_ORGANIZATION',
    });
  });

  it('keeps the id root, and ids in use, to whom they belong', async () => {
    const runtime = await started({ organization: memoryOrganization() });
    const { id: roleId } = await role(runtime);
    runtime.createAgent({ roleId, id: 'one' });

    expect(() => runtime.createAgent({ roleId, id: 'root' })).toThrow(
      expect.objectContaining({ code: 'RESERVED_AGENT_ID' }),
    );
    await expect(runtime.spawnAgent({ roleId, id: 'root' })).rejects.toMatchObject({ code: 'RESERVED_AGENT_ID' });
    expect(() => runtime.createAgent({ roleId, id: 'one' })).toThrow(expect.objectContaining({ code: 'AGENT_EXISTS' }));
    expect(() => runtime.createAgent({ roleId: 'none' })).toThrow(expect.objectContaining({ code: 'ROLE_NOT_FOUND' }));
    expect(() => runtime.createAgent({ roleId, createdBy: 'none' })).toThrow(
      expect.objectContaining({ code: 'AGENT_NOT_FOUND' }),
    );
    expect(runtime.listAgents().map(({ id }) => id)).toEqual(['root', 'one']);
    expect(runtime.getAgent('one')).toMatchObject({ roleId, createdBy: 'root' });
  });

  it('refuses agents of an inactive role, and a second role of one name when an agent asks', async () => {
    const runtime = await started();
    const { id: roleId } = await role(runtime, { name: 'worker' });
    await runtime.updateRole(roleId, { status: 'inactive' });

    await expect(runtime.spawnAgent({ roleId })).rejects.toMatchObject({ code: 'ROLE_INACTIVE' });
    await expect(role(runtime, { name: 'worker', createdBy: 'root' })).rejects.toMatchObject({ code: 'ROLE_EXISTS' });
    const second = await role(runtime, { name: 'worker' });
    expect(runtime.findRoleByName('worker')).toEqual(second);
    expect(
      runtime
        .listRoles()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([roleId, second.id].toSorted());
  });

  it('describes a tool of a built-in group as the tool itself does', async () => {
    const runtime = await started({ tools: [echo('read_file')] });
    const [definition] = runtime.toolGroupManager.getToolDefinitions(['workspace']);

    expect(definition?.function).toMatchObject({ name: 'read_file', description: 'says it again' });
  });

  it('loads and unloads modules, and refuses one with a reserved id while others load', async () => {
    const reports: ToolModule[] = [{ ...chrome('bad'), toolGroupId: 'workspace' }, chrome()];
    const runtime = await started({ config: { modules: reports } });
    const agentId = await agentOf(runtime, ['chrome']);

    expect(runtime.moduleReports()).toMatchObject([{ ok: false, error: 'reserved_group_id' }, { ok: true }]);
    expect(namesFor(runtime, agentId)).toEqual(['navigate', 'click']);
    expect(await runtime.unloadModule('chrome')).toBe(true);
    expect(await runtime.unloadModule('chrome')).toBe(false);
    expect(namesFor(runtime, agentId)).toEqual([]);
    expect(await call(runtime, agentId, 'click')).toMatchObject({ error: 'unknown_tool' });
  });

  it('does nothing before init and after shutdown, and shuts modules down', async () => {
    const ends: string[] = [];
    const module = { ...chrome(), shutdown: () => void ends.push('chrome') };
    const runtime = new Runtime({ config: { modules: [module] } });

    expect(runtime.getToolDefinitionsForAgent('root')).toEqual([]);
    await expect(role(runtime)).rejects.toMatchObject({ code: 'RUNTIME_NOT_READY' });
    await Promise.all([runtime.init(), runtime.init()]);
    await Promise.all([runtime.shutdown(), runtime.shutdown()]);

    expect(ends).toEqual(['chrome']);
    expect(runtime.getToolDefinitionsForAgent('root')).toEqual([]);
    expect(await call(runtime, 'root', 'create_role')).toMatchObject({ error: 'tool_not_available' });
    await expect(role(runtime)).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' });
    await expect(runtime.init()).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' });
  });

  it('can be started again when the roles could not be read', async () => {
    const store = memoryRoleStore();
    let isBroken = true;
    const list = () => (isBroken ? Promise.reject(new Error('disk')) : store.list());
    const runtime = new Runtime({ roles: { ...store, list } });
    await expect(runtime.init()).rejects.toThrow('disk');

    isBroken = false;
    await runtime.init();

    expect(namesFor(runtime, 'root')).toHaveLength(6);
  });

  it('can be started again when a group of the host that stood in the way is gone', async () => {
    const runtime = new Runtime();
    runtime.toolGroupManager.registerGroup('mine', { description: '', tools: [definition('http_request')] });
    await expect(runtime.init()).rejects.toThrow('The built-in group network was refused: tool_conflict');

    runtime.toolGroupManager.unregisterGroup('mine');
    await runtime.init();

    expect(runtime.toolGroupManager.getAllGroupIds()).toEqual(Object.keys(BUILTIN_TOOL_GROUPS));
  });

  it('sees what another process saved when it reads the roles anew', async () => {
    const roles = memoryRoleStore();
    const [one, other] = [await started({ roles }), await started({ roles })];
    const { id } = await role(one);

    expect(other.getRole(id)).toBeUndefined();
    await other.reloadRoles();
    expect(other.getRole(id)).toEqual(one.getRole(id));
  });

  it('does not start with a group of the host under the id of a built-in one', async () => {
    const runtime = new Runtime({ toolGroups: { workspace: { description: '', tools: [] } } });

    await expect(runtime.init()).rejects.toThrow('The tool group workspace was refused: reserved_group_id');
  });

  it.each([
    ['defaultTools', { defaultTools: [] }],
    ['defaultToolGroups', { defaultToolGroups: 'some' }],
    ['tools', { tools: {} }],
    ['config.modules', { config: { modules: {} } }],
    ['modules', { config: { module: [] } }],
    ['toolGroups', { toolGroups: { a: { description: '', tools: ['publish'] } } }],
    ['toolGroups', { toolGroups: { a: { description: 1, tools: [] } } }],
    ['toolGroups', { toolGroups: { a: { description: '', tools: 'x' } } }],
    ['toolGroups', { toolGroups: { a: { description: '', tool: [] } } }],
    ['toolGroups', { toolGroups: 'a' }],
    ['maxAgent', { limits: { maxAgent: 1 } }],
    ['name', { tools: [echo('a'), echo('a')] }],
  ])('refuses options that do not fit: %s', (_, options) => {
    expect(() => new Runtime(options as unknown as RuntimeOptions)).toThrow(ValidationError);
  });
});

type Body = ToolModule['executeToolCall'];

function chrome(name = 'chrome', executeToolCall: Body = () => 'done'): ToolModule {
  return {
    name,
    toolGroupDescription: 'Chrome 浏览器控制工具',
    getToolDefinitions: () => (name === 'two' ? [] : ['navigate', 'click'].map(definition)),
    executeToolCall,
    init: () => undefined,
    shutdown: () => undefined,
  };
}

function definition(name: string): FunctionDefinition {
  return { type: 'function', function: { name, description: `does ${name}`, parameters: { type: 'object' } } };
}

function echo(name: string) {
  return defineTool({
    name,
    description: 'says it again',
    inputSchema: objectSchema({ text: { type: 'string', description: 'the text' } }),
    execute: async ({ text }) => text,
  });
}

async function started(options: RuntimeOptions = {}): Promise<Runtime> {
  const runtime = new Runtime(options);
  await runtime.init();
  return runtime;
}

async function role(runtime: Runtime, more: { readonly name?: string; readonly createdBy?: string } = {}) {
  return runtime.createRole({ name: 'some', rolePrompt: '', ...more });
}

async function agentOf(runtime: Runtime, toolGroups?: readonly string[]): Promise<string> {
  const { id } = await runtime.createRole({ name: 'a', rolePrompt: '', ...(toolGroups ? { toolGroups } : {}) });
  return runtime.createAgent({ roleId: id }).id;
}

function roleOf(runtime: Runtime, agentId: string): string {
  return runtime.getAgent(agentId)?.roleId ?? '';
}

function namesFor(runtime: Runtime, agentId: string): string[] {
  return runtime.getToolDefinitionsForAgent(agentId).map((one) => one.function.name);
}

function call(runtime: Runtime, id: string, toolName: string, args: unknown = {}): Promise<unknown> {
  return runtime.executeToolCall({ agent: { id } }, toolName, args);
}
