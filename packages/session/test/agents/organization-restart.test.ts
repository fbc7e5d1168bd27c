import { describe, expect, it } from 'vitest';
import { memoryStore, type SessionStore } from '../../src/index.ts';
import { resultOf } from '../support/makers.ts';
import { hanging, lastOf, leading, rolesWith, setUp, texts } from '../support/scripted-organization.ts';

describe('createOrganization', () => {
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
});
