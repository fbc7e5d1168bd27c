import { describe, expect, it } from 'vitest';
import { family, gated, ids, role, settled } from '../test/agent-trees.ts';
import { AgentTree } from './agent-tree.ts';
import type { Organization } from './organization.ts';
import { memoryOrganization } from './testing/memory-organization.ts';

describe('AgentTree', () => {
  it('has the root agent from the beginning, and runs agents by the organisation', async () => {
    const organization = memoryOrganization();
    const tree = new AgentTree({ organization });

    const a = await tree.spawn({ role, task: 'count' });
    const b = await tree.spawn({ role, createdBy: a.id });

    expect(tree.list().map(({ id, createdBy }) => [id, createdBy])).toEqual([
      ['root', 'root'],
      [a.id, 'root'],
      [b.id, a.id],
    ]);
    expect(organization.agents()).toEqual([
      { id: a.id, roleId: 'worker', role, createdBy: 'root', task: 'count' },
      { id: b.id, roleId: 'worker', role, createdBy: a.id },
    ]);
  });

  it('leaves no agent behind when the organisation does not start it', async () => {
    const refusal = new Error('no room');
    const organization = memoryOrganization({ before: () => Promise.reject(refusal) });
    const tree = new AgentTree({ organization });

    await expect(tree.spawn({ role })).rejects.toMatchObject({ code: 'SPAWN_FAILED', cause: refusal });
    expect([ids(tree), organization.agents()]).toEqual([['root'], []]);
  });

  it('ends those that an agent made while it was started, when it is not started in the end', async () => {
    const organization = memoryOrganization({
      before: async (step, id) => {
        if (step === 'terminate') await new Promise((resolve) => setImmediate(resolve));
        if (step !== 'spawn' || id !== 'a') return;
        await tree.spawn({ id: 'child', role, createdBy: 'a' });
        throw new Error('no room');
      },
    });
    const tree: AgentTree = new AgentTree({ organization });

    await expect(tree.spawn({ id: 'a', role })).rejects.toMatchObject({ code: 'SPAWN_FAILED' });
    expect([ids(tree), organization.agents()]).toEqual([['root'], []]);
    expect(organization.asked).toEqual(['spawn a', 'spawn child', 'terminate child']);
  });

  it('gives up a spawn that is aborted, and ends what the organisation starts all the same', async () => {
    const { gate, organization, tree } = gated('spawn');
    const abort = new AbortController();
    const spawning = tree.spawn({ id: 'a', role }, { signal: abort.signal });

    abort.abort();

    await expect(spawning).rejects.toMatchObject({ code: 'ABORTED' });
    expect(ids(tree)).toEqual(['root']);
    gate.resolve();
    await settled(() => organization.asked.includes('terminate a'));
    await settled(() => organization.agents().length === 0);
  });

  it.each<[string, (tree: AgentTree) => Promise<unknown>, string]>([
    ['a message to nobody', (tree) => tree.send({ to: 'nobody', text: 'x' }), 'AGENT_NOT_FOUND'],
    ['a message from nobody', (tree) => tree.send({ from: 'nobody', to: 'a', text: 'x' }), 'AGENT_NOT_FOUND'],
    ['a message to oneself', (tree) => tree.send({ from: 'a', to: 'a', text: 'x' }), 'INVALID_RECIPIENT'],
    ['a creator that is not there', (tree) => tree.spawn({ role, createdBy: 'nobody' }), 'AGENT_NOT_FOUND'],
    ['an id that is in use', (tree) => tree.spawn({ role, id: 'a' }), 'AGENT_EXISTS'],
    ['another root', (tree) => tree.spawn({ role, id: 'root' }), 'RESERVED_AGENT_ID'],
    ['an end of nobody', (tree) => tree.terminate('nobody'), 'AGENT_NOT_FOUND'],
    ['an end by nobody', (tree) => tree.terminate('a', { by: 'nobody' }), 'AGENT_NOT_FOUND'],
    ['a spawn that was aborted before', (tree) => tree.spawn({ role }, { signal: AbortSignal.abort() }), 'ABORTED'],
    [
      'a message that was aborted before',
      (tree) => tree.send({ to: 'a', text: 'x' }, { signal: AbortSignal.abort() }),
      'ABORTED',
    ],
    ['an end that was aborted before', (tree) => tree.terminate('a', { signal: AbortSignal.abort() }), 'ABORTED'],
  ])('refuses %s', async (_what, act, code) => {
    const { tree, organization } = await family();
    const asked = organization.asked.length;

    await expect(act(tree)).rejects.toMatchObject({ code });
    expect([ids(tree).length, organization.asked.length]).toEqual([6, asked]);
  });

  it('starts and messages nobody without an organisation, and ends what it was told of', async () => {
    const tree = new AgentTree();
    tree.adopt({ id: 'a', roleId: 'worker' });

    await expect(tree.spawn({ role })).rejects.toMatchObject({ code: 'NO_ORGANIZATION' });
    await expect(tree.send({ to: 'a', text: 'x' })).rejects.toMatchObject({ code: 'NO_ORGANIZATION' });
    expect(await tree.terminate('a')).toEqual(['a']);
  });

  it('refuses more agents than maxAgents, and takes one again when one has ended', async () => {
    const tree = new AgentTree({ organization: memoryOrganization(), maxAgents: 2 });
    const spawned = await Promise.allSettled(['a', 'b', 'c'].map((id) => tree.spawn({ id, role })));

    expect(spawned.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    await expect(tree.spawn({ role })).rejects.toMatchObject({ code: 'AGENT_LIMIT' });
    await tree.terminate('a');
    expect(await tree.spawn({ id: 'c', role })).toMatchObject({ id: 'c' });
  });

  it('refuses agents more than maxDepth levels below root', async () => {
    const tree = new AgentTree({ organization: memoryOrganization(), maxDepth: 2 });
    await tree.spawn({ id: 'a', role });
    await tree.spawn({ id: 'b', role, createdBy: 'a' });

    await expect(tree.spawn({ role, createdBy: 'b' })).rejects.toMatchObject({ code: 'AGENT_DEPTH_LIMIT' });
  });

  it('waits timeoutMs for an organisation that does not answer', async () => {
    const tree = new AgentTree({
      organization: { ...memoryOrganization(), spawn: () => new Promise(() => undefined) },
      timeoutMs: 5,
    });

    await expect(tree.spawn({ id: 'a', role })).rejects.toMatchObject({
      code: 'SPAWN_FAILED',
      cause: { code: 'TIMEOUT' },
    });
    await expect(tree.terminate('a')).rejects.toMatchObject({ code: 'TERMINATE_FAILED', cause: { code: 'TIMEOUT' } });
    expect(ids(tree)).toEqual(['root']);
  });

  it('ends an agent that is there long after everybody gave up waiting for it', async () => {
    const gate = Promise.withResolvers<void>();
    const memory = memoryOrganization();
    const spawn: Organization['spawn'] = async (agent) => {
      await gate.promise;
      await memory.spawn(agent, { signal: new AbortController().signal });
    };
    const tree = new AgentTree({ organization: { ...memory, spawn }, timeoutMs: 5 });
    await expect(tree.spawn({ id: 'a', role })).rejects.toMatchObject({ code: 'SPAWN_FAILED' });
    await expect(tree.terminate('a')).rejects.toMatchObject({ code: 'TERMINATE_FAILED' });

    gate.resolve();

    await settled(() => memory.asked.includes('terminate a'));
    await settled(() => memory.agents().length === 0);
    expect(await tree.spawn({ id: 'a', role })).toMatchObject({ id: 'a' });
  });

  it.each([
    [{ maxAgents: 0 }, 'maxAgents'],
    [{ maxDepth: 1.5 }, 'maxDepth'],
    [{ timeoutMs: 2 ** 31 }, 'timeoutMs'],
    [{ maxAgents: 3, maxAgent: 3 }, 'maxAgent'],
  ])('refuses the bound %j', (options, field) => {
    expect(() => new AgentTree(options)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: `limits.${field}` }),
    );
  });
});
