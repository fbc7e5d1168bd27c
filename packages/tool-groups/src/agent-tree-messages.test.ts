import { describe, expect, it } from 'vitest';
import { family, gated, role } from '../test/agent-trees.ts';
import { AgentTree } from './agent-tree.ts';
import { memoryOrganization } from './testing/memory-organization.ts';

describe('AgentTree', () => {
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
});
