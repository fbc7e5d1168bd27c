import { describe, expect, it } from 'vitest';
import { family, gated, ids, role, settled } from '../test/agent-trees.ts';
import { AgentTree } from './agent-tree.ts';
import { memoryOrganization } from './testing/memory-organization.ts';

describe('AgentTree', () => {
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
});
