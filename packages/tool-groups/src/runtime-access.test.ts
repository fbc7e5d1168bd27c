import type { Logger } from '@x/core';
import { silentLogger } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { agentOf, call, chrome, echo, namesFor, role, roleOf, started } from '../test/runtimes.ts';
import { BUILTIN_TOOL_GROUPS } from './builtin-tool-groups.ts';
import { memoryOrganization } from './testing/index.ts';

const ALL_TOOLS = Object.values(BUILTIN_TOOL_GROUPS).flatMap(({ tools }) => tools);

describe('Runtime', () => {
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

  it('describes a tool of a built-in group as the tool itself does', async () => {
    const runtime = await started({ tools: [echo('read_file')] });
    const [definition] = runtime.toolGroupManager.getToolDefinitions(['workspace']);

    expect(definition?.function).toMatchObject({ name: 'read_file', description: 'says it again' });
  });
});
