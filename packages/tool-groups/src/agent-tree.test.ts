import { describe, expect, it } from 'vitest';
import { AgentTree } from './agent-tree.ts';
import type { Organization } from './organization.ts';
import { memoryOrganization } from './testing/memory-organization.ts';
import { roleWith } from './testing/role-store-case.ts';

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

  it('ends an agent with everybody below it, children first', async () => {
    const { tree, organization } = await family();

    const ended = await tree.terminate('a');

    expect(ended).toEqual(['aaa', 'aa', 'ab', 'a']);
    expect(organization.asked.filter((one) => one.startsWith('terminate')).at(-1)).toBe('terminate a');
    expect([ids(tree), organization.agents().map(({ id }) => id)]).toEqual([['root', 'b'], ['b']]);
    expect(tree.get('aa')).toBeUndefined();
  });

  it('forgets an agent that has ended: it is not ended again with its creator', async () => {
    const { tree, organization } = await family();
    await tree.terminate('aa');

    expect(await tree.terminate('a')).toEqual(['ab', 'a']);
    expect(organization.asked.filter((one) => one === 'terminate aa')).toHaveLength(1);
  });

  it('aborts the signal of an agent and of those below it when its end begins', async () => {
    const { tree } = await family();
    const signals = ['a', 'aaa', 'b', 'nobody'].map((id) => tree.signalOf(id));

    const ending = tree.terminate('a');
    const aborted = signals.map((signal) => signal?.aborted);
    await ending;

    expect(aborted).toEqual([true, true, false, undefined]);
  });

  it.each<[string, string, string]>([
    ['itself', 'a', 'a'],
    ['its creator', 'aa', 'a'],
    ['its sibling', 'aa', 'ab'],
    ['another family', 'a', 'b'],
    ['root', 'a', 'root'],
  ])('refuses that an agent ends %s', async (_whom, by, whom) => {
    const { tree } = await family();

    await expect(tree.terminate(whom, { by })).rejects.toMatchObject({ code: 'NOT_ITS_CREATOR', statusCode: 403 });
    expect(ids(tree)).toHaveLength(6);
  });

  it('lets an agent end those it made through its children, and nobody end root', async () => {
    const { tree } = await family();

    const ended = await tree.terminate('aaa', { by: 'a' });

    expect(ended).toEqual(['aaa']);
    await expect(tree.terminate('root')).rejects.toMatchObject({ code: 'NOT_ITS_CREATOR' });
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

  it('ends an agent that is still being started: the spawn is told so', async () => {
    const { gate, organization, tree } = gated('spawn');
    const spawning = tree.spawn({ id: 'a', role });
    const ending = tree.terminate('a');

    await expect(spawning).rejects.toMatchObject({ code: 'AGENT_TERMINATING' });
    gate.resolve();

    expect(await ending).toEqual(['a']);
    expect([ids(tree), organization.agents()]).toEqual([['root'], []]);
  });

  it('lets nobody do anything whose end has begun', async () => {
    const { gate, tree } = gated('terminate');
    await tree.spawn({ id: 'a', role });
    await tree.spawn({ id: 'b', role });
    const ending = tree.terminate('a');
    const refused = [
      tree.spawn({ role, createdBy: 'a' }),
      tree.send({ from: 'a', to: 'b', text: 'hello' }),
      tree.send({ from: 'b', to: 'a', text: 'hello' }),
      tree.terminate('b', { by: 'a' }),
      (async () => tree.adopt({ roleId: 'worker', createdBy: 'a' }))(),
    ];

    const codes = (await Promise.allSettled(refused)).map((one) => one.status === 'rejected' && one.reason.code);
    gate.resolve();
    await ending;

    expect(codes).toEqual(Array(5).fill('AGENT_TERMINATING'));
  });

  it('answers two terminations of one agent alike, and asks the organisation once', async () => {
    const { gate, organization, tree } = gated('terminate');
    await tree.spawn({ id: 'a', role });
    const both = Promise.all([tree.terminate('a'), tree.terminate('a')]);
    gate.resolve();

    expect(await both).toEqual([['a'], ['a']]);
    expect(organization.asked.filter((one) => one === 'terminate a')).toHaveLength(1);
  });

  it('keeps an agent that could not be ended from doing anything, and ends it when asked again', async () => {
    let failures = 1;
    const organization = memoryOrganization({
      before: (step) => {
        if (step === 'terminate' && failures-- > 0) throw new Error('not now');
      },
    });
    const tree = new AgentTree({ organization });
    await tree.spawn({ id: 'a', role });

    await expect(tree.terminate('a')).rejects.toMatchObject({ code: 'TERMINATE_FAILED' });
    expect([tree.get('a'), organization.agents().length]).toEqual([undefined, 1]);
    expect(await tree.terminate('a')).toEqual(['a']);
    expect(organization.agents()).toEqual([]);
  });

  it('ends the others when one cannot be ended', async () => {
    const organization = memoryOrganization({
      before: (step, id) => {
        if (step === 'terminate' && id === 'aa') throw new Error('not now');
      },
    });
    const { tree } = await family(organization);

    await expect(tree.terminate('a')).rejects.toMatchObject({ message: expect.stringContaining('The agent aa ') });
    expect(organization.agents().map(({ id }) => id)).toEqual(['aa', 'b']);
    expect(ids(tree)).toEqual(['root', 'b']);
  });

  it('gives up waiting for a termination that is aborted, which goes on', async () => {
    const { gate, organization, tree } = gated('terminate');
    await tree.spawn({ id: 'a', role });
    const abort = new AbortController();
    const ending = tree.terminate('a', { signal: abort.signal });

    abort.abort();

    await expect(ending).rejects.toMatchObject({ code: 'ABORTED' });
    gate.resolve();
    await settled(() => organization.agents().length === 0);
    expect(ids(tree)).toEqual(['root']);
  });

  it('sends messages between living agents, root among them', async () => {
    const { tree, organization } = await family();

    const mail = await tree.send({ from: 'aa', to: 'b', text: 'hello' });
    await tree.send({ from: 'b', to: 'root', text: 'done' });

    expect(organization.mailOf('b')).toEqual([mail]);
    expect(mail).toEqual({ id: expect.any(String), from: 'aa', to: 'b', text: 'hello' });
    expect(organization.mailOf('root')).toMatchObject([{ from: 'b', text: 'done' }]);
  });

  it('sends a message to an agent that is being started as soon as it is there', async () => {
    const { gate, organization, tree } = gated('spawn');
    const spawning = tree.spawn({ id: 'a', role });
    const sending = tree.send({ to: 'a', text: 'hello' });
    gate.resolve();
    await spawning;
    await sending;

    expect(organization.asked).toEqual(['spawn a', 'send a']);
    expect(organization.mailOf('a')).toMatchObject([{ from: 'root', text: 'hello' }]);
  });

  it('gives up a message when its receiver is ended', async () => {
    const { gate, organization, tree } = gated('send');
    await tree.spawn({ id: 'a', role });
    const sending = tree.send({ to: 'a', text: 'hello' });
    const ending = tree.terminate('a');

    await expect(sending).rejects.toMatchObject({ code: 'AGENT_TERMINATING' });
    await ending;
    gate.resolve();
    expect(organization.mailOf('a')).toEqual([]);
  });

  it('gives up a message when its sender is ended', async () => {
    const { gate, tree } = gated('send');
    await tree.spawn({ id: 'a', role });
    const sending = tree.send({ from: 'a', to: 'root', text: 'hello' });
    const ending = tree.terminate('a');

    await expect(sending).rejects.toMatchObject({ code: 'AGENT_TERMINATING' });
    await ending;
    gate.resolve();
  });

  it('tells of a message that the organisation did not take', async () => {
    const refusal = new Error('full');
    const tree = new AgentTree({
      organization: memoryOrganization({ before: (step) => (step === 'send' ? Promise.reject(refusal) : undefined) }),
    });
    await tree.spawn({ id: 'a', role });

    await expect(tree.send({ to: 'a', text: 'x' })).rejects.toMatchObject({ code: 'SEND_FAILED', cause: refusal });
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
    expect(() => new AgentTree(options)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  });
});

const role = roleWith({ id: 'worker', name: 'worker' });

function ids(tree: AgentTree): readonly string[] {
  return tree.list().map(({ id }) => id);
}

/** root - a (aa (aaa), ab), b */
async function family(organization = memoryOrganization()) {
  const tree = new AgentTree({ organization });
  const made: readonly (readonly [string, string])[] = [
    ['a', 'root'],
    ['aa', 'a'],
    ['ab', 'a'],
    ['aaa', 'aa'],
    ['b', 'root'],
  ];
  for (const [id, createdBy] of made) await tree.spawn({ id, role, createdBy });
  return { tree, organization };
}

/** An organisation that does one kind of step when the gate is opened, and cares for no signal until then. */
function gated(kind: 'spawn' | 'send' | 'terminate') {
  const gate = Promise.withResolvers<void>();
  const memory = memoryOrganization();
  const late = { signal: new AbortController().signal };
  const organization = {
    ...memory,
    [kind]: async (subject: never) => {
      await gate.promise;
      await memory[kind](subject, late);
    },
  };
  return { gate, organization, tree: new AgentTree({ organization }) };
}

async function settled(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setImmediate(resolve));
}
