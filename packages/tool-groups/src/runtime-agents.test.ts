import { describe, expect, it } from 'vitest';
import { call, namesFor, role, started } from '../test/runtimes.ts';
import { memoryOrganization } from './testing/index.ts';

describe('Runtime', () => {
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
});
