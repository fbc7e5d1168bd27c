import { sleep } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { createOrganization, memoryStore } from '../../src/index.ts';
import { codeOf, linesOf, resultOf, scriptedProvider } from '../support/makers.ts';
import {
  callsOf,
  hanging,
  lastOf,
  leading,
  moduleOf,
  nameIn,
  rolesWith,
  setUp,
  texts,
} from '../support/scripted-organization.ts';

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

  it('is at rest when an agent was asked for again in a run that has read all of it', async () => {
    const sent = Promise.withResolvers<void>();
    const roles = await rolesWith(['worker', { toolGroups: ['slow'] }]);
    const { organization, requests } = await setUp(
      {
        root: (request) => {
          const last = lastOf(request);
          if (last.includes('Begin.')) return callsOf('spawn_agent_with_task', { roleId: 'worker', task: 'Count.' });
          const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(last)?.[0];
          if (request.messages.length === 3) return callsOf('send_message', { to: id, text: 'All of them.' });
          if (request.messages.length === 5) sent.resolve();
          return { text: 'I wait.' };
        },
        worker: ({ messages }) => (messages.length === 1 ? callsOf('slow', {}) : { text: 'There are 3.' }),
      },
      { roles, modules: [moduleOf('slow', () => sent.promise)] },
    );

    await organization.root.send('Begin.');
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect(requests().map(lastOf).join('\n')).toContain('All of them.');
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
      // Until two have met, however slow the machine is; the others have time to come too.
      for (let waited = 0; waited < 5 || (most < 2 && waited < 5_000); waited += 5) await sleep(5);
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

  it('lets an agent rest while its role is inactive, and wakes it with the next message after that', async () => {
    const errors: unknown[] = [];
    const { organization, requests } = await setUp(leading, {
      roles: await rolesWith('worker'),
      onError: (error) => void errors.push(error),
    });
    const { id } = await organization.runtime.spawnAgent({ roleId: 'worker' });
    await organization.runtime.updateRole('worker', { status: 'inactive' });
    await organization.runtime.sendMessage({ to: id, text: 'One.' });
    await vi.waitFor(() => expect(organization.agents()[1]).toMatchObject({ isBusy: false }), { timeout: 15_000 });
    const before = requests().length;

    await organization.runtime.updateRole('worker', { status: 'active' });
    await organization.runtime.sendMessage({ to: id, text: 'Two.' });
    await Array.fromAsync(organization.stream());
    await organization.close();

    expect([before, errors]).toEqual([0, []]);
    expect(requests().some(({ messages }) => messages.some((message) => linesOf(message).includes('One.')))).toBe(true);
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
