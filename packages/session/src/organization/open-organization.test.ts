import { objectSchema, type ToolDefinition } from '@x/core';
import { memoryRoleStore } from '@x/tool-groups';
import { describe, expect, it, vi } from 'vitest';
import { codeOf, resultOf, scriptedProvider } from '../../test/support/makers.ts';
import { workerRole } from '../../test/support/roles.ts';
import { callsOf, hanging, leading, type Parts, played, rolesWith } from '../../test/support/scripted-organization.ts';
import {
  answerQuestion,
  type CanUseTool,
  createOrganization,
  memoryStore,
  type OrganizationOptions,
  pendingQuestions,
  type SessionOptions,
} from '../index.ts';
import { closeAll } from './open-organization.ts';

const role = workerRole();
async function setUp(options: Partial<OrganizationOptions> = {}) {
  const { provider, models } = scriptedProvider(() => ({ text: 'Done.' }));
  const { store = memoryStore(), session } = options;
  const making = createOrganization({
    id: 'acme',
    ...options,
    store,
    session: { provider, model: 'm', permissionMode: 'bypassPermissions', ...session },
  });
  return { organization: await making, models, store };
}

describe('closeAll', () => {
  it('ends all, the last first, and then tells the first failure', async () => {
    const ended: string[] = [];
    const closer = (name: string, failure?: Error) => async () => {
      ended.push(name);
      if (failure) throw failure;
    };
    const [early, late] = [new Error('early'), new Error('late')];

    await expect(closeAll([closer('a', early), closer('b'), closer('c', late)])).rejects.toBe(late);
    await expect(closeAll([closer('d')])).resolves.toBeUndefined();

    expect(ended).toEqual(['c', 'b', 'a', 'd']);
  });
});

describe('an organisation that is called off', () => {
  it('is not made, where that was before', async () => {
    const store = memoryStore();

    expect(await codeOf(setUp({ store, signal: AbortSignal.abort() }))).toBe('ABORTED');
    expect((await store.list()).sessions).toEqual([]);
  });

  it('is closed where it happens while it is made', async () => {
    const abort = new AbortController();
    const inner = memoryStore();
    const list: typeof inner.list = async (query) => {
      abort.abort();
      return await inner.list(query);
    };

    const { organization } = await setUp({ store: { ...inner, list }, signal: abort.signal });

    await vi.waitFor(async () => expect(await codeOf(organization.root.send('Begin.'))).toBe('SESSION_CLOSED'), {
      timeout: 15_000,
    });
    await organization.close();
  });

  it('is closed where it happens later, and whoever closes it is told what failed', async () => {
    const abort = new AbortController();
    const { organization } = await setUp({ signal: abort.signal });
    Object.assign(organization.runtime, { shutdown: () => Promise.reject(new Error('stuck')) });

    abort.abort();

    await vi.waitFor(async () => expect(await codeOf(organization.root.send('Begin.'))).toBe('SESSION_CLOSED'), {
      timeout: 15_000,
    });
    await expect(organization.close()).rejects.toThrow('stuck');
  });

  it('runs nothing for a reader whose own signal is aborted', async () => {
    const { organization, models } = await setUp();
    await organization.root.send('Begin.');

    const reading = Array.fromAsync(organization.stream({ signal: AbortSignal.abort() }));

    expect(await codeOf(reading)).toBe('ABORTED');
    await organization.close();
    expect(models.flatMap(({ requests }) => requests)).toEqual([]);
  });
});

describe('an organisation', () => {
  it('is closed with the block that it was made in', async () => {
    const { organization } = await setUp();

    await organization[Symbol.asyncDispose]();

    expect(await codeOf(organization.root.send('Begin.'))).toBe('SESSION_CLOSED');
    expect(await codeOf(Array.fromAsync(organization.stream()))).toBe('SESSION_CLOSED');
  });

  it('takes definitions as tools of the host, by the names of its groups', async () => {
    const ran: string[] = [];
    const publish: ToolDefinition = {
      name: 'publish',
      description: 'Publishes.',
      inputSchema: objectSchema({}),
      execute: async () => void ran.push('published'),
    };
    const { provider } = scriptedProvider(({ messages, tools }) =>
      tools.some(({ name }) => name === 'publish') && messages.length === 1
        ? { toolCalls: [{ name: 'publish', input: {} }] }
        : { text: 'Done.' },
    );
    const roles = memoryRoleStore();
    await roles.save({ ...role, toolGroups: ['own'] });
    const { organization } = await setUp({
      roles,
      toolGroups: { own: { description: 'Own.', tools: ['publish'] } },
      session: { provider, model: 'm', permissionMode: 'bypassPermissions', tools: [publish] },
    });

    await organization.runtime.spawnAgent({ roleId: 'worker', task: 'Publish.' });
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect(ran).toEqual(['published']);
  });

  it('tells of an agent whose log cannot be read when it is found again, and goes on with the others', async () => {
    const store = memoryStore();
    const roles = memoryRoleStore();
    await roles.save(role);
    const first = await setUp({ store, roles });
    const one = await first.organization.runtime.spawnAgent({ roleId: 'worker' });
    const two = await first.organization.runtime.spawnAgent({ roleId: 'worker' });
    const broken = first.organization.agents().find(({ id }) => id === one.id)!.sessionId;
    await first.organization.close();
    const lease = (await store.acquire(broken, 'me', 1_000))!; // nobody runs it
    await store.append(broken, lease, [{ type: 'title', title: 7 as never }]);
    await store.release(lease);
    const told: unknown[] = [];

    const onError = (error: unknown, agentId: string) => void told.push((error as { code?: unknown }).code, agentId);
    const { organization } = await setUp({ store, roles, onError });
    const agents = organization.agents().map(({ id }) => id);
    await organization.close();

    expect(told).toEqual(['LOG_DAMAGED', one.id]);
    expect(agents).toContain(two.id);
  });
});

describe('stream() of an organisation', () => {
  const broken = { name: 'broken', beforeAgent: () => Promise.reject(new TypeError('Broken')) };
  const wait: CanUseTool = async () => ({ behavior: 'wait' });

  it.each<[string, Partial<SessionOptions>, readonly string[]]>([
    ['waits for a person', { permissionMode: 'default', canUseTool: wait }, ['waiting']],
    ['can only fail as before', { handlers: [broken] }, ['error', 'error']],
  ])('ends where root %s, instead of running it for ever', async (_, more, ends) => {
    const call = { toolCalls: [{ name: 'spawn_agent_with_task', input: { roleId: 'worker', task: 'Work.' } }] };
    const { provider } = scriptedProvider([call, { text: 'Done.' }]);
    const { organization, store } = await setUp({ session: { provider, model: 'm', ...more } });
    await organization.root.send('Begin.');

    const told: string[] = [];
    for await (const event of organization.stream()) {
      if (event.type === 'result') told.push(event.subtype);
      if (told.length > 4) break;
    }

    expect(told).toEqual(ends);
    const [question] = await pendingQuestions(store);
    if (question) await organization.root.answer(question.callId, { behavior: 'deny', message: 'No.' });
    const last = question ? resultOf(await Array.fromAsync(organization.stream())).content : 'Done.';
    expect(last).toBe('Done.');
    await organization.close();
  });

  it('hears an agent whose question a person has answered just before', async () => {
    const run = callsOf('run_command', { command: 'true' });
    const worker: Parts[string] = (asked) => (asked.messages.at(-1)?.role === 'tool' ? { text: 'There are 3.' } : run);
    const canUseTool: CanUseTool = async (name) => ({ behavior: name === 'run_command' ? 'wait' : 'allow' });
    const store = memoryStore();
    const { provider } = scriptedProvider(played({ ...leading, worker }));
    const session = { provider, model: 'm', permissionMode: 'default', canUseTool } as const;
    const { organization } = await setUp({
      store,
      session,
      rootPrompt: 'You are root.',
      roles: await rolesWith('worker'),
    });
    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    const [question] = await pendingQuestions(store);

    const { sessionId, callId } = question!;
    await answerQuestion({ store, sessionId, callId, answer: { behavior: 'deny', message: 'No.' } });
    const last = resultOf(await Array.fromAsync(organization.stream()));

    expect(last.content).toBe('They say 3.');
    await organization.close();
  });

  it('ends when the organisation is closed while root waits for an agent', async () => {
    const asked = Promise.withResolvers<void>();
    const { provider } = scriptedProvider(played({ ...leading, worker: () => hanging(asked) }));
    const session = { provider, model: 'm', permissionMode: 'bypassPermissions' } as const;
    const { organization } = await setUp({ session, rootPrompt: 'You are root.', roles: await rolesWith('worker') });
    await organization.root.send('Begin.');
    const hasEnded = codeOf(Array.fromAsync(organization.stream()));

    await asked.promise;
    await organization.close();

    expect(await hasEnded).toBe('SESSION_CLOSED');
  });
});
