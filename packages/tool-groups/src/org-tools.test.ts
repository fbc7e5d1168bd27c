import { fc, test } from '@fast-check/vitest';
import { isTool } from '@x/core/internal';
import { functionTool } from '@x/registry';
import { describe, expect, it } from 'vitest';
import { AgentTree } from './agent-tree.ts';
import { BUILTIN_TOOL_GROUPS } from './builtin-tool-groups.ts';
import type { NewRole, OrgActions } from './org-actions.ts';
import { type OrgAnswer, orgTools } from './org-tools.ts';
import { OrganizationError } from './organization-error.ts';
import { memoryOrganization } from './testing/memory-organization.ts';
import { roleWith } from './testing/role-store-case.ts';

describe('orgTools()', () => {
  it('are the tools of org_management, in the same order', () => {
    const names = orgTools().map(({ name, definition }) => [name, definition.type, definition.function.name]);

    expect(names).toEqual(BUILTIN_TOOL_GROUPS.org_management.tools.map((name) => [name, 'function', name]));
  });

  it('have definitions that any model takes: plain objects that allow nothing else', () => {
    const tools = orgTools().map(({ definition }) => functionTool(definition, () => undefined));

    expect(tools.every(isTool)).toBe(true);
    expect(orgTools().map(({ definition }) => definition.function.parameters)).toEqual(
      Array(6).fill(expect.objectContaining({ type: 'object', additionalProperties: false })),
    );
  });

  it('find a role by its name, and say that there is none', async () => {
    const { call } = made();

    expect(await call('root', 'find_role_by_name', { name: 'worker' })).toEqual({
      ok: true,
      role: { id: 'worker', name: 'worker', rolePrompt: 'You work.', status: 'active', toolGroups: ['workspace'] },
    });
    expect(await call('root', 'find_role_by_name', { name: 'nobody' })).toEqual({ ok: true, role: null });
  });

  it('make a role in the name of the agent that asks', async () => {
    const { call, created } = made();

    const answers = [
      await call('root', 'create_role', { name: 'tester', rolePrompt: 'You test.' }),
      await call('boss', 'create_role', {
        name: 'x',
        rolePrompt: 'y',
        toolGroups: ['workspace'],
        llmServiceId: 'fast',
      }),
    ];

    expect(answers).toEqual([
      { ok: true, roleId: 'role-1', name: 'tester' },
      { ok: true, roleId: 'role-2', name: 'x' },
    ]);
    expect(created).toEqual([
      { name: 'tester', rolePrompt: 'You test.', createdBy: 'root' },
      { name: 'x', rolePrompt: 'y', toolGroups: ['workspace'], llmServiceId: 'fast', createdBy: 'boss' },
    ]);
  });

  it('spawn agents, with a task and without', async () => {
    const { call, organization } = made();

    const first = await call('root', 'spawn_agent', { roleId: 'worker' });
    const second = await call('boss', 'spawn_agent_with_task', { roleId: 'worker', task: 'count' });

    expect([first, second]).toEqual(Array(2).fill({ ok: true, agentId: expect.any(String), roleId: 'worker' }));
    expect(organization.agents().slice(1)).toEqual([
      { id: agentIdOf(first), roleId: 'worker', role: worker, createdBy: 'root' },
      { id: agentIdOf(second), roleId: 'worker', role: worker, createdBy: 'boss', task: 'count' },
    ]);
  });

  it('send messages and end agents', async () => {
    const { call, organization } = made();
    const agentId = agentIdOf(await call('boss', 'spawn_agent', { roleId: 'worker' }));

    const sent = await call(agentId, 'send_message', { to: 'boss', text: 'ready' });
    const ended = await call('root', 'terminate_agent', { agentId: 'boss' });

    expect(sent).toEqual({ ok: true, messageId: organization.mailOf('boss')[0]?.id, to: 'boss' });
    expect(organization.mailOf('boss')).toMatchObject([{ from: agentId, to: 'boss', text: 'ready' }]);
    expect(ended).toEqual({ ok: true, agentId: 'boss', terminated: [agentId, 'boss'] });
    expect(organization.agents()).toEqual([]);
  });

  it('take an empty rolePrompt, as the host may give one', async () => {
    const { call, created } = made();

    expect(await call('boss', 'create_role', { name: 'x', rolePrompt: '' })).toMatchObject({ ok: true });
    expect(created).toMatchObject([{ rolePrompt: '' }]);
  });

  it.each<[string, string, unknown, string]>([
    ['spawn_agent', 'boss', { roleId: 'nobody' }, 'role_not_found'],
    ['spawn_agent', 'boss', {}, 'validation_error'],
    ['spawn_agent', 'boss', { roleId: '' }, 'validation_error'],
    ['spawn_agent', 'boss', { roleId: 'worker', task: 'x' }, 'validation_error'],
    ['spawn_agent', 'boss', { roleId: 'worker', id: 'root' }, 'validation_error'],
    ['spawn_agent', 'boss', { roleId: 'worker', createdBy: 'root' }, 'validation_error'],
    ['spawn_agent_with_task', 'boss', { roleId: 'worker' }, 'validation_error'],
    ['spawn_agent_with_task', 'boss', undefined, 'validation_error'],
    ['terminate_agent', 'boss', { agentId: 'boss' }, 'not_its_creator'],
    ['terminate_agent', 'boss', { agentId: 'root' }, 'not_its_creator'],
    ['terminate_agent', 'root', { agentId: 'root' }, 'not_its_creator'],
    ['terminate_agent', 'boss', { agentId: 'nobody' }, 'agent_not_found'],
    ['send_message', 'boss', { to: 'nobody', text: 'x' }, 'agent_not_found'],
    ['send_message', 'boss', { to: 'boss', text: 'x' }, 'invalid_recipient'],
    ['send_message', 'boss', { to: 'root', text: '' }, 'validation_error'],
    ['send_message', 'boss', { to: 'root', text: 'x', from: 'root' }, 'validation_error'],
    ['create_role', 'boss', { name: 'x' }, 'validation_error'],
    ['create_role', 'boss', { name: 'x', rolePrompt: 'y', toolGroups: 'all' }, 'validation_error'],
    ['create_role', 'boss', { name: 'x', rolePrompt: 'y', createdBy: 'root' }, 'validation_error'],
    ['find_role_by_name', 'boss', 'worker', 'validation_error'],
  ])('%s of %s with %j is answered with %4$s', async (name, agentId, args, error) => {
    const { call, organization } = made();

    const answer = await call(agentId, name, args);

    expect(answer).toEqual({ error, message: expect.stringMatching(/.+/) });
    expect(organization.agents().map(({ id }) => id)).toEqual(['boss']);
  });

  it('answer with what fails in the organisation', async () => {
    const { call } = made({ failing: new Error('no room') });

    expect(await call('root', 'spawn_agent', { roleId: 'worker' })).toEqual({
      error: 'spawn_failed',
      message: expect.stringContaining('no room'),
    });
  });

  it('answer when the wait is aborted', async () => {
    const { call } = made();

    const answer = await call('root', 'spawn_agent', { roleId: 'worker' }, AbortSignal.abort());

    expect(answer).toEqual({ error: 'aborted', message: expect.any(String) });
  });

  it('answer with internal_error where something else breaks', async () => {
    const { actions } = made();
    const broken = { ...actions, createRole: async () => Promise.reject(new Error('disk full')) };

    const answer = await tool('create_role').call(broken, { name: 'x', rolePrompt: 'y' }, { agentId: 'root' });

    expect(answer).toEqual({ error: 'internal_error', message: 'disk full' });
  });

  const anyArgs = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom('roleId', 'task', 'agentId', 'to', 'text', 'name', 'rolePrompt'),
      fc.constantFrom('worker', 'boss', 'root', '', 7),
    ),
  );
  const anyTool = fc.constantFrom(...orgTools().map(({ name }) => name));
  test.prop([anyTool, anyArgs, fc.constantFrom('root', 'boss', 'nobody')], { numRuns: 200 })(
    'answer whatever they are asked with plain JSON, and never reject',
    async (name, args, agentId) => {
      const { call } = made();

      const answer = await call(agentId, name, args);

      expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
      expect(Object.keys(answer).slice(0, 1)).toEqual(['ok' in answer ? 'ok' : 'error']);
    },
  );
});

const worker = roleWith({ id: 'worker', name: 'worker', rolePrompt: 'You work.', toolGroups: ['workspace'] });

/** root and an agent `boss` that it made. */
function made({ failing }: { readonly failing?: Error } = {}) {
  const organization = memoryOrganization({
    before: (step, id) => (failing && step === 'spawn' && id !== 'boss' ? Promise.reject(failing) : undefined),
  });
  const tree = new AgentTree({ organization });
  tree.spawn({ id: 'boss', role: worker }).catch(() => undefined); // some end it at once
  const created: NewRole[] = [];
  const actions: OrgActions = {
    findRoleByName: (name) => (name === worker.name ? worker : undefined),
    async createRole(role) {
      created.push(role);
      return { ...worker, id: `role-${created.length}`, name: role.name };
    },
    async spawnAgent({ roleId, ...agent }, options) {
      if (roleId !== worker.id) throw new OrganizationError(`There is no role ${roleId}`, { code: 'ROLE_NOT_FOUND' });
      return await tree.spawn({ ...agent, role: worker }, options);
    },
    terminateAgent: (agentId, options) => tree.terminate(agentId, options),
    sendMessage: (mail, options) => tree.send(mail, options),
  };
  const call = async (agentId: string, name: string, args: unknown, signal?: AbortSignal): Promise<OrgAnswer> =>
    await tool(name).call(actions, args, { agentId, ...(signal ? { signal } : {}) });
  return { organization, actions, created, call };
}

function tool(name: string) {
  return orgTools().find((one) => one.name === name)!;
}

function agentIdOf(answer: OrgAnswer): string {
  return 'ok' in answer ? String(answer['agentId']) : '';
}
