import { describe, expect, it } from 'vitest';
import type { AgentMail, Organization } from '../organization.ts';
import { type MemoryOrganization, memoryOrganization } from './memory-organization.ts';
import { organizationContract } from './organization-contract.ts';
import type { OrganizationUnderTest } from './organization-under-test.ts';

describe('organizationContract()', () => {
  describe('on memoryOrganization()', () => {
    it.each(organizationContract(() => underTest()))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());
  });

  it('says so of an organisation that does not answer', async () => {
    const make = () => underTest(() => ({ spawn: () => new Promise<never>(() => undefined) }));
    const [first] = organizationContract(make, { patienceMs: 5 });

    await expect(first?.run()).rejects.toThrow('within 5 ms');
  });

  it.each<[string, RegExp, (organization: MemoryOrganization) => Partial<Organization>]>([
    ['spawns nothing', /runs an agent from the moment/, () => ({ spawn: async () => undefined })],
    [
      'forgets the task',
      /begins with its task/,
      (one) => ({ spawn: ({ task: _, ...agent }, options) => one.spawn(agent, options) }),
    ],
    [
      'invents a task',
      /without a task/,
      (one) => ({ spawn: (agent, options) => one.spawn({ task: 'hello', ...agent }, options) }),
    ],
    ['ends nobody', /ends an agent/, () => ({ terminate: async () => undefined })],
    ['refuses to end nobody', /termination of nobody/, refusingNobody],
    [
      'takes two agents of one id',
      /second agent of an id/,
      (one) => ({ spawn: (agent, options) => one.spawn(agent, options).catch(() => undefined) }),
    ],
    [
      'replaces root',
      /called root/,
      (one) => ({
        spawn: async (agent, options) => (agent.id === 'root' ? undefined : await one.spawn(agent, options)),
      }),
    ],
    ['spawns what was aborted', /leaves nothing behind/, (one) => ({ spawn: (agent) => one.spawn(agent, calm()) })],
    ['spawns and says that it did not', /aborted under way/, spawningAndRefusing],
    [
      'brings messages twice',
      /once each/,
      (one) => ({ send: (mail, options) => one.send(mail, options).then(() => one.send(mail, options)) }),
    ],
    ['brings messages in another order', /in the order they were sent/, everySecondLate],
    ['brings messages to everybody', /to its receiver alone/, toEverybody],
    [
      'knows no root',
      /messages to root/,
      (one) => ({ send: async (mail, options) => (mail.to === 'root' ? undefined : await one.send(mail, options)) }),
    ],
    [
      'takes messages to nobody',
      /refuses a message to nobody/,
      (one) => ({ send: (mail, options) => one.send(mail, options).catch(() => undefined) }),
    ],
    ['loses messages', /loses no message/, everySecondLost],
    ['sends what was aborted', /aborted before/, (one) => ({ send: (mail) => one.send(mail, calm()) })],
  ])('notices an organisation that %s', async (_fault, promise, change) => {
    const broken = await brokenBy(change);

    expect(broken.filter((name) => promise.test(name))).toHaveLength(1);
  });
});

function underTest(
  change: (organization: MemoryOrganization) => Partial<Organization> = () => ({}),
): OrganizationUnderTest {
  const memory = memoryOrganization();
  return {
    organization: { ...memory, ...change(memory) },
    isRunning: (id) => memory.agents().some((agent) => agent.id === id),
    toldTo: (id) => {
      const task = memory.agents().find((agent) => agent.id === id)?.task;
      return [...(task === undefined ? [] : [task]), ...memory.mailOf(id).map(({ from, text }) => `${from}: ${text}`)];
    },
  };
}

async function brokenBy(change: (organization: MemoryOrganization) => Partial<Organization>): Promise<string[]> {
  const cases = organizationContract(() => underTest(change), { patienceMs: 40 });
  const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
  return cases.flatMap(({ name }, index) => (outcomes[index]?.status === 'rejected' ? [name] : []));
}

function calm() {
  return { signal: new AbortController().signal };
}

function refusingNobody(one: MemoryOrganization): Partial<Organization> {
  return {
    terminate: async (agentId, options) => {
      if (!one.agents().some(({ id }) => id === agentId)) throw new Error('nobody');
      await one.terminate(agentId, options);
    },
  };
}

function spawningAndRefusing(one: MemoryOrganization): Partial<Organization> {
  return {
    spawn: async (agent, { signal }) => {
      const spawned = one.spawn(agent, calm());
      await spawned;
      if (signal.aborted) throw new Error('aborted');
    },
  };
}

function everySecondLate(one: MemoryOrganization): Partial<Organization> {
  let kept: AgentMail | undefined;
  return {
    send: async (mail, options) => {
      const before = kept;
      kept = before ? undefined : mail;
      if (!before) return;
      await one.send(mail, options);
      await one.send(before, options);
    },
  };
}

function everySecondLost(one: MemoryOrganization): Partial<Organization> {
  let sent = 0;
  return { send: async (mail, options) => (++sent % 2 === 0 ? undefined : await one.send(mail, options)) };
}

function toEverybody(one: MemoryOrganization): Partial<Organization> {
  return {
    send: async (mail, options) => {
      for (const { id } of one.agents()) await one.send({ ...mail, to: id }, options);
    },
  };
}
