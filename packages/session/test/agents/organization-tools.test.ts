import type { StreamMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { only, toolNamed } from '../support/makers.ts';
import {
  callsOf,
  hanging,
  leading,
  moduleWith,
  nameIn,
  type Parts,
  rolesWith,
  setUp,
} from '../support/scripted-organization.ts';

describe('createOrganization', () => {
  it('gives each agent the tools of its own groups, root those of organisations only', async () => {
    const roles = await rolesWith(['worker', { toolGroups: ['workspace', 'console'] }]);
    const { organization, requests } = await setUp(leading, { roles });

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    await organization.close();

    const toolsOf = (name: string) =>
      requests()
        .find((one) => nameIn(one) === name)
        ?.tools.map((tool) => tool.name);
    expect(toolsOf('root')?.toSorted()).toEqual([
      'create_role',
      'find_role_by_name',
      'send_message',
      'spawn_agent',
      'spawn_agent_with_task',
      'terminate_agent',
    ]);
    expect(toolsOf('worker')?.toSorted()).toEqual([
      'console_print',
      'get_workspace_info',
      'list_files',
      'read_file',
      'write_file',
    ]);
  });

  it.each<[string, string, object]>([
    ['a built-in tool', 'Bash', { command: 'touch made' }],
    ['a tool of another group', 'run_command', { command: 'touch made' }],
    ['a tool of the organisation', 'spawn_agent', { roleId: 'worker' }],
    ['a tool of the host that is in no group', 'mine', {}],
    ['a tool of a module', 'browse', {}],
  ])('never runs %s for an agent that has it in no group', async (_, name, input) => {
    const ran: string[] = [];
    const answers: StreamMessage[] = [];
    const { organization } = await setUp(
      {
        ...leading,
        worker: (request) => (request.messages.length === 1 ? callsOf(name, input) : { text: 'There are 3.' }),
      },
      {
        roles: await rolesWith(['worker', { toolGroups: ['workspace'] }]),
        session: { tools: [toolNamed('mine', async () => void ran.push('mine'))] } as never,
        modules: [moduleWith('browse', ran)],
        onEvent: (event) => void answers.push(event),
      },
    );

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    const count = organization.agents().length;
    await organization.close();

    expect(ran).toEqual([]);
    expect(count).toBe(2);
    expect(only(answers, 'tool_result')).toMatchObject([{ isError: true, output: `工具 ${name} 对此岗位不可用` }]);
  });

  it('runs a tool of a module for an agent that has it in a group, so that the cells above mean something', async () => {
    const ran: string[] = [];
    const { organization } = await setUp(
      {
        ...leading,
        worker: ({ messages }) => (messages.length === 1 ? callsOf('browse', {}) : { text: 'There are 3.' }),
      },
      { roles: await rolesWith(['worker', { toolGroups: ['browse'] }]), modules: [moduleWith('browse', ran)] },
    );

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect(ran).toEqual(['browse']);
  });

  it('judges the calls of agents by the guards of the host', async () => {
    const answers: StreamMessage[] = [];
    const asked: string[] = [];
    const { organization } = await setUp(
      {
        ...leading,
        worker: ({ messages }) =>
          messages.length === 1 ? callsOf('run_command', { command: 'touch made' }) : { text: 'There are 3.' },
      },
      {
        roles: await rolesWith('worker'),
        session: {
          permissionMode: 'default',
          canUseTool: async (name: string) => {
            asked.push(name);
            return name === 'run_command' ? { behavior: 'deny', message: 'not that' } : { behavior: 'allow' };
          },
        } as never,
        onEvent: (event) => void answers.push(event),
      },
    );

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect(asked).toEqual(['spawn_agent_with_task', 'run_command']);
    expect(only(answers, 'tool_result')).toMatchObject([
      { isError: true, output: expect.stringContaining('not that') },
    ]);
  });

  it('asks about a command of an agent where nobody has allowed it', async () => {
    const answers: StreamMessage[] = [];
    const { organization } = await setUp(
      {
        ...leading,
        worker: ({ messages }) =>
          messages.length === 1 ? callsOf('run_command', { command: 'touch made' }) : { text: 'There are 3.' },
      },
      {
        roles: await rolesWith('worker'),
        session: { permissionMode: 'default' } as never,
        onEvent: (event) => void answers.push(event),
      },
    );

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect(only(answers, 'tool_result')).toMatchObject([
      { isError: true, output: expect.stringContaining('run_command was not run') },
    ]);
  });

  it('gives agents tools of the host that are in groups of the host, from the first run after a start', async () => {
    const store = memoryStore();
    const roles = await rolesWith(['worker', { toolGroups: ['own'] }]);
    const ran: string[] = [];
    const begun = Promise.withResolvers<void>();
    const session = { tools: [toolNamed('publish', async () => void ran.push('published'))] } as never;
    const toolGroups = { own: { description: 'Own.', tools: ['publish'] } };
    const parts: Parts = { ...leading, worker: () => hanging(begun) };
    const first = await setUp(parts, { store, roles, session, toolGroups });
    await first.organization.runtime.spawnAgent({ roleId: 'worker', task: 'Publish.' });
    await begun.promise;
    await first.organization.close();

    const worker: Parts['string'] = ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : callsOf('publish', {});
    const again = await setUp({ ...leading, worker }, { store, roles, session, toolGroups });
    await Array.fromAsync(again.organization.stream());
    await again.organization.close();

    expect(ran).toEqual(['published']);
  });
});
