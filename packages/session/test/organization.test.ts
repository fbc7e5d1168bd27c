import { type Message, type ModelRequest, type StreamMessage, textOf } from '@x/core';
import type { Script, ScriptedReply } from '@x/core/testing';
import { memoryRoleStore, type RoleStore, type ToolModule } from '@x/tool-groups';
import { describe, expect, it, vi } from 'vitest';
import { createOrganization, memoryStore, type OrganizationOptions, type SessionStore } from '../src/index.ts';
import { codeOf, only, resultOf, scriptedProvider, toolNamed } from './makers.ts';

/** What an agent says, by its name in the instruction; root without a role prompt of its own. */
type Parts = Readonly<Record<string, (request: ModelRequest) => ScriptedReply>>;

const nameIn = ({ instruction }: ModelRequest) => /You are (\w+)\./.exec(instruction)?.[1] ?? 'nobody';
const played =
  (parts: Parts): Script =>
  (request) =>
    parts[nameIn(request)]?.(request) ?? { text: 'I have nothing to do.' };
const lastOf = ({ messages }: ModelRequest): string => linesOf(messages.at(-1)!);
function linesOf(message: Message): string {
  return message.role === 'tool' ? message.content.map(({ output }) => output).join('|') : textOf(message);
}
/** Tells that it was asked, and never answers. */
function hanging({ resolve }: { readonly resolve: () => void }): ScriptedReply {
  resolve();
  return { hangs: true };
}
const callsOf = (name: string, input: object): ScriptedReply => ({ toolCalls: [{ name, input }] });

async function setUp(parts: Parts, options: Partial<OrganizationOptions> = {}) {
  const { provider, models } = scriptedProvider(played(parts));
  const roles = options.roles ?? memoryRoleStore();
  const organization = await createOrganization({
    id: 'acme',
    store: memoryStore(),
    rootPrompt: 'You are root.',
    roles,
    ...options,
    session: { provider, model: 'm', permissionMode: 'bypassPermissions', ...options.session },
  });
  return { organization, models, requests: () => models.flatMap((model) => model.requests) };
}

async function roleIn(roles: RoleStore, name: string, more: object = {}) {
  const role = {
    id: name,
    name,
    rolePrompt: `You are ${name}.`,
    createdBy: 'root',
    createdAt: '2026-01-11T08:00:00.000Z',
    status: 'active' as const,
    llmServiceId: null,
    ...more,
  };
  await roles.save(role);
  return role;
}
async function rolesWith(...names: readonly (string | readonly [string, object])[]): Promise<RoleStore> {
  const roles = memoryRoleStore();
  for (const one of names) await (typeof one === 'string' ? roleIn(roles, one) : roleIn(roles, ...one));
  return roles;
}

/** Root starts one worker with a task, and says what it answers. */
const leading: Parts = {
  root: (request) => {
    const last = lastOf(request);
    if (last.includes('Begin.')) return callsOf('spawn_agent_with_task', { roleId: 'worker', task: 'Count.' });
    return { text: last.includes('There are 3') ? 'They say 3.' : 'I wait.' };
  },
  worker: () => ({ text: 'There are 3.' }),
};

const texts = (events: readonly StreamMessage[]) => only(events, 'result').map(({ content }) => content);

describe('createOrganization', () => {
  it('runs what root starts as a session of its own, and brings its answer to root', async () => {
    const store = memoryStore();
    const { organization, requests } = await setUp(leading, { store, roles: await rolesWith('worker') });

    await organization.root.send('Begin.');
    const events = await Array.fromAsync(organization.stream());
    const agents = organization.agents();
    await organization.close();

    const { sessions } = await store.list();
    const worker = agents[1]!;
    expect(texts(events)).toEqual(['I wait.', 'They say 3.']);
    expect(agents.map(({ id, roleId, createdBy, isBusy }) => [id, roleId, createdBy, isBusy])).toEqual([
      ['root', 'root', 'root', false],
      [worker.id, 'worker', 'root', false],
    ]);
    expect(sessions.map(({ metadata }) => metadata)).toContainEqual({
      organization: 'acme',
      agent: worker.id,
      role: 'worker',
      creator: 'root',
    });
    expect(requests().map(lastOf)).toContain('Message from the agent root:\n\nCount.');
    expect(requests().map(lastOf)).toContain(`Message from the agent ${worker.id}:\n\nThere are 3.`);
  });

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

  it('tells the creator when an agent has failed', async () => {
    const { organization, requests } = await setUp(
      { ...leading, worker: () => ({ error: new Error('the model is gone') }) },
      { roles: await rolesWith('worker'), session: { retryBudgetMs: 0 } as never },
    );

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect(requests().map(lastOf).join('\n')).toMatch(/Message from the agent .*\n\nIt has failed: /);
  });

  it('stops an agent in the middle of its work when it is terminated, with all that it has made', async () => {
    const working = Promise.withResolvers<void>();
    const untilStopped = (signal: AbortSignal | undefined) => {
      working.resolve();
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))));
    };
    const roles = await rolesWith('lead', ['worker', { toolGroups: ['slow'] }]);
    const { organization } = await setUp(
      {
        lead: ({ messages }) =>
          messages.length === 1
            ? callsOf('spawn_agent_with_task', { roleId: 'worker', task: 'Count.' })
            : { text: 'ok' },
        worker: () => callsOf('slow', {}),
      },
      {
        roles,
        modules: [moduleOf('slow', untilStopped)],
      },
    );

    const lead = await organization.runtime.spawnAgent({ roleId: 'lead', task: 'Begin.' });
    await working.promise;
    const ended = await organization.runtime.terminateAgent(lead.id);
    const agents = organization.agents();
    await organization.close();

    expect(ended).toHaveLength(2);
    expect(agents.map(({ id }) => id)).toEqual(['root']);
  });

  it('uses the model that a role asks for, and refuses one that there is not', async () => {
    const roles = await rolesWith(['worker', { llmServiceId: 'small' }], ['other', { llmServiceId: 'huge' }]);
    const { organization, models } = await setUp(leading, {
      roles,
      modelFor: (id) => (id === 'small' ? { model: 'small-1' } : undefined),
    });

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    const refused = await codeOf(organization.runtime.spawnAgent({ roleId: 'other' }));
    const { length } = organization.agents();
    await organization.close();

    expect(models.map(({ name }) => name)).toContain('small-1');
    expect(refused).toBe('SPAWN_FAILED');
    expect(length).toBe(2);
  });

  it('tells each agent what its role says, and how many there may be', async () => {
    const lines: string[] = [];
    const info = (_: object, text?: string) => void lines.push(text ?? '');
    const logger = { fatal: info, error: info, warn: info, info, debug: info, trace: info };
    const { organization, requests } = await setUp(
      {
        ...leading,
        worker: ({ messages }) =>
          messages.length === 1 ? callsOf('console_print', { text: 'Hi.' }) : { text: 'There are 3.' },
      },
      { roles: await rolesWith('worker'), defaultToolGroups: ['console'], limits: { maxAgents: 1 }, logger },
    );

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    const refused = await codeOf(organization.runtime.spawnAgent({ roleId: 'worker' }));
    await organization.close();

    const asked = requests().find((request) => nameIn(request) === 'worker');
    expect(requests()[0]?.instruction).toMatch(/You are root\.$/);
    expect(asked?.instruction).toMatch(/You are worker\.$/);
    expect(asked?.tools.map(({ name }) => name)).toEqual(['console_print']);
    expect(refused).toBe('AGENT_LIMIT');
    expect(lines).toContain('Hi.');
  });

  it('runs as many agents at a time as it was told', async () => {
    const roles = await rolesWith(['worker', { toolGroups: ['slow'] }]);
    let [now, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      now -= 1;
      return 'done';
    };
    const { organization } = await setUp(
      { worker: ({ messages }) => (messages.length === 1 ? callsOf('slow', {}) : { text: 'Done.' }) },
      { roles, modules: [moduleOf('slow', work)], concurrency: 2 },
    );

    for (let count = 0; count < 5; count++) await organization.runtime.spawnAgent({ roleId: 'worker', task: 'Work.' });
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect(most).toBe(2);
  });

  it('is found again under its id, with its agents, their conversations and what waits for them', async () => {
    const store = memoryStore();
    const roles = await rolesWith('worker');
    const first = await setUp(leading, { store, roles });
    await first.organization.root.send('Begin.');
    await Array.fromAsync(first.organization.stream());
    const before = first.organization.agents();
    await first.organization.close();

    const again = await setUp(
      { ...leading, worker: ({ messages }) => ({ text: `There are ${messages.length}.` }) },
      { store, roles },
    );
    const other = await setUp(leading, { store, roles, id: 'other' });
    const worker = again.organization.agents()[1]!;
    await again.organization.runtime.sendMessage({ to: worker.id, text: 'Again.' });
    await Array.fromAsync(again.organization.stream());
    await Promise.all([again.organization.close(), other.organization.close()]);

    expect(again.organization.root.sessionId).toBe(first.organization.root.sessionId);
    expect(worker.sessionId).toBe(before[1]!.sessionId);
    expect(again.requests().map(lastOf)).toContain(`Message from the agent ${worker.id}:\n\nThere are 3.`);
    expect(other.organization.agents()).toHaveLength(1);
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

  it('lets an agent rest while its role is inactive, and wakes it with the next message after that', async () => {
    const errors: unknown[] = [];
    const { organization, requests } = await setUp(leading, {
      roles: await rolesWith('worker'),
      onError: (error) => void errors.push(error),
    });
    const { id } = await organization.runtime.spawnAgent({ roleId: 'worker' });
    await organization.runtime.updateRole('worker', { status: 'inactive' });
    await organization.runtime.sendMessage({ to: id, text: 'One.' });
    await vi.waitFor(() => expect(organization.agents()[1]).toMatchObject({ isBusy: false }));
    const before = requests().length;

    await organization.runtime.updateRole('worker', { status: 'active' });
    await organization.runtime.sendMessage({ to: id, text: 'Two.' });
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect([before, errors]).toEqual([0, []]);
    expect(requests().some(({ messages }) => messages.some((message) => linesOf(message).includes('One.')))).toBe(true);
  });

  it('does not find an agent again that was terminated', async () => {
    const store = memoryStore();
    const roles = await rolesWith('worker');
    const first = await setUp(leading, { store, roles });
    const agent = await first.organization.runtime.spawnAgent({ roleId: 'worker' });
    await first.organization.runtime.terminateAgent(agent.id);
    await first.organization.close();

    const again = await setUp(leading, { store, roles });
    const agents = again.organization.agents();
    await again.organization.close();

    expect(agents).toHaveLength(1);
  });

  it('goes on with an agent that was cut off, and delivers its answer once', async () => {
    const store = memoryStore();
    const roles = await rolesWith('worker');
    const begun = Promise.withResolvers<void>();
    const first = await setUp({ ...leading, worker: () => hanging(begun) }, { store, roles });
    await first.organization.root.send('Begin.');
    const reading = Array.fromAsync(first.organization.root.stream());
    await Promise.all([begun.promise, reading]);
    await first.organization.close();

    const again = await setUp(leading, { store, roles });
    const events = await Array.fromAsync(again.organization.stream());
    await again.organization.close();
    const third = await setUp(leading, { store, roles });
    const nothing = await Array.fromAsync(third.organization.stream());
    await third.organization.close();

    expect(texts(events)).toEqual(['They say 3.']);
    expect(nothing).toEqual([]);
  });

  it('delivers an answer that a crash has kept from being sent', async () => {
    const inner = memoryStore();
    const roles = await rolesWith('worker');
    const store: SessionStore = {
      ...inner,
      enqueue: async (sessionId, item) => {
        if (item.message.id.startsWith('answer:')) throw new Error('the process is gone');
        return await inner.enqueue(sessionId, item);
      },
    };
    const errors: unknown[] = [];
    const first = await setUp(leading, { store, roles, onError: (error) => void errors.push(error) });
    await first.organization.root.send('Begin.');
    await Array.fromAsync(first.organization.stream());
    await first.organization.close();

    const again = await setUp(leading, { store: inner, roles });
    const events = await Array.fromAsync(again.organization.stream());
    await again.organization.close();

    expect(errors).toHaveLength(1);
    expect(resultOf(events).content).toBe('They say 3.');
  });

  it.each<[string, (inner: SessionStore, gone: () => Promise<never>) => Partial<SessionStore>]>([
    [
      'its task was kept',
      (inner, gone) => ({
        enqueue: (id, item) => (item.message.id.startsWith('task:') ? gone() : inner.enqueue(id, item)),
      }),
    ],
    [
      'its session said whose it is',
      (inner, gone) => {
        const withTask = new Set<string>();
        return {
          async enqueue(sessionId, item) {
            if (item.message.id.startsWith('task:')) withTask.add(sessionId);
            return await inner.enqueue(sessionId, item);
          },
          append: (sessionId, ...rest) => (withTask.has(sessionId) ? gone() : inner.append(sessionId, ...rest)),
        };
      },
    ],
  ])('has no agent without its task when the process is gone before %s', async (_, dying) => {
    const inner = memoryStore();
    const roles = await rolesWith('worker');
    const reached = Promise.withResolvers<void>();
    const gone = () => {
      reached.resolve();
      return new Promise<never>(() => undefined);
    };
    const { organization } = await setUp(leading, { roles, store: { ...inner, ...dying(inner, gone) } });
    const spawning = organization.runtime.spawnAgent({ roleId: 'worker', task: 'Count.' });
    spawning.catch(() => undefined); // nobody is left who would be told
    await reached.promise;

    const again = await setUp(leading, { store: inner, roles });
    const agents = again.organization.agents();
    const events = await Array.fromAsync(again.organization.stream());
    await again.organization.close();

    expect(agents.map(({ id }) => id)).toEqual(['root']);
    expect(events).toEqual([]);
    expect(again.requests()).toEqual([]);
  });

  it('goes on without an agent whose role is gone, and says so', async () => {
    const store = memoryStore();
    const first = await setUp(leading, { store, roles: await rolesWith('worker') });
    const { id } = await first.organization.runtime.spawnAgent({ roleId: 'worker' });
    await first.organization.close();
    const told: string[] = [];

    const again = await setUp(leading, { store, onError: (_, agentId) => void told.push(agentId) });
    const agents = again.organization.agents();
    await again.organization.close();

    expect(agents).toHaveLength(1);
    expect(told).toEqual([id]);
  });

  it('brings the answer of an agent whose observer fails', async () => {
    const errors: unknown[] = [];
    const { organization } = await setUp(leading, {
      roles: await rolesWith('worker'),
      onEvent: () => {
        throw new Error('no');
      },
      onError: (error) => void errors.push(error),
    });

    await organization.root.send('Begin.');
    const events = await Array.fromAsync(organization.stream());
    await organization.close();

    expect(resultOf(events).content).toBe('They say 3.');
    expect(errors).not.toEqual([]);
  });

  it('leaves its agents where they are when its signal is aborted', async () => {
    const abort = new AbortController();
    const begun = Promise.withResolvers<void>();
    const roles = await rolesWith('worker');
    const { organization } = await setUp({ worker: () => hanging(begun) }, { roles, signal: abort.signal });
    await organization.runtime.spawnAgent({ roleId: 'worker', task: 'Count.' });
    await begun.promise;

    abort.abort();
    await organization.close();

    expect(await codeOf(organization.root.send('Begin.'))).toBe('SESSION_CLOSED');
    expect(await codeOf(organization.runtime.spawnAgent({ roleId: 'worker' }))).not.toBe('resolved');
  });

  it('ends the wait of a reader with its signal', async () => {
    const abort = new AbortController();
    const begun = Promise.withResolvers<void>();
    const roles = await rolesWith('worker');
    const { organization } = await setUp({ worker: () => hanging(begun) }, { roles });
    await organization.runtime.spawnAgent({ roleId: 'worker', task: 'Count.' });
    const reading = Array.fromAsync(organization.stream({ signal: abort.signal }));

    await begun.promise;
    abort.abort();
    const code = await codeOf(reading);
    await organization.close();

    expect(code).toBe('ABORTED');
  });

  it.each<[string, object]>([
    ['id', { id: '' }],
    ['store', { store: {} }],
    ['session', { session: undefined }],
    ['session.role', { session: { role: {} } }],
    ['session.store', { session: { store: memoryStore() } }],
    ['session.agents', { session: { agents: [{ name: 'a', description: 'A.' }] } }],
    ['session.maxSubagentDepth', { session: { maxSubagentDepth: 2 } }],
    ['rootPrompt', { rootPrompt: 1 }],
    ['signal', { signal: {} }],
    ['modelFor', { modelFor: 'm' }],
    ['idd', { idd: 'x' }],
    ['concurrency', { concurrency: 0 }],
  ])('refuses %s: %o', async (field, options) => {
    const { provider } = scriptedProvider([]);
    const good = { id: 'acme', store: memoryStore(), session: { provider, model: 'm' } };

    await expect(createOrganization({ ...good, ...options })).rejects.toMatchObject({ field });
  });
});

function moduleWith(name: string, ran: string[]): ToolModule {
  return moduleOf(name, () => {
    ran.push(name);
    return 'seen';
  });
}

function moduleOf(name: string, execute: (signal: AbortSignal | undefined) => unknown): ToolModule {
  const definition = {
    type: 'function',
    function: { name, description: name, parameters: { type: 'object' } },
  } as const;
  return {
    name,
    getToolDefinitions: () => [definition],
    executeToolCall: ({ signal }) => execute(signal),
    init: () => undefined,
    shutdown: () => undefined,
  };
}
