import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { agentOf, call, chrome, definition, echo, namesFor, role, started } from '../test/runtimes.ts';
import { BUILTIN_TOOL_GROUPS } from './builtin-tool-groups.ts';
import { memoryRoleStore } from './memory-role-store.ts';
import type { ToolModule } from './module.ts';
import { Runtime } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';

describe('Runtime', () => {
  it('has the seven built-in groups, reserved, and the modules of its configuration after init', async () => {
    const runtime = await started({ config: { modules: [chrome(), { module: chrome('two'), config: { a: 1 } }] } });

    expect(runtime.toolGroupManager.getAllGroupIds()).toEqual([...Object.keys(BUILTIN_TOOL_GROUPS), 'chrome', 'two']);
    expect(runtime.toolGroupManager.registerGroup('workspace', { description: '', tools: [] })).toMatchObject({
      error: 'reserved_group_id',
    });
    expect(runtime.moduleReports().map(({ ok }) => ok)).toEqual([true, true]);
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
