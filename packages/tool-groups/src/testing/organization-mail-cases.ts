import { rejection, same } from './in-time.ts';
import { agentWith, calmly, mailTo, type OrganizationCase, toldAtLeast } from './organization-case.ts';

/** Cases about messages. */
export const mailCases: readonly OrganizationCase[] = [
  [
    'brings messages once each, in the order they were sent, after the task',
    async (under, roleId) => {
      await under.organization.spawn(agentWith('a', roleId, { task: 'listen' }), calmly());
      const texts = Array.from({ length: 8 }, (_, index) => `message number ${index}.`);
      for (const text of texts) await under.organization.send(mailTo('a', text), calmly());
      const told = await toldAtLeast(under, 'a', 9);
      same(heard(told, ['listen', ...texts]), ['listen', ...texts], 'the texts it got');
    },
  ],
  [
    'brings a message to its receiver alone',
    async (under, roleId) => {
      for (const id of ['a', 'b', 'c']) await under.organization.spawn(agentWith(id, roleId), calmly());
      await under.organization.send(mailTo('b', 'only for b', 'a'), calmly());
      await toldAtLeast(under, 'b', 1);
      same([await under.toldTo('a'), await under.toldTo('c')], [[], []], 'the texts the others got');
    },
  ],
  [
    'brings messages to root, which is there from the beginning',
    async (under, roleId) => {
      await under.organization.spawn(agentWith('a', roleId), calmly());
      await under.organization.send(mailTo('root', 'I am done', 'a'), calmly());
      same((await toldAtLeast(under, 'root', 1))[0]?.includes('I am done'), true, 'the texts root got');
    },
  ],
  [
    'refuses a message to nobody, and to one that has ended',
    async (under, roleId) => {
      await rejection(under.organization.send(mailTo('nobody', 'hello'), calmly()), 'a message to nobody');
      await under.organization.spawn(agentWith('a', roleId), calmly());
      await under.organization.terminate('a', calmly());
      await rejection(under.organization.send(mailTo('a', 'hello'), calmly()), 'a message to one that has ended');
    },
  ],
  [
    'loses no message of many that are sent at once',
    async (under, roleId) => {
      await under.organization.spawn(agentWith('a', roleId), calmly());
      const texts = Array.from({ length: 20 }, (_, index) => `message number ${index}.`);
      await Promise.all(texts.map((text) => under.organization.send(mailTo('a', text), calmly())));
      const told = await toldAtLeast(under, 'a', 20);
      same(heard(told, texts).toSorted(byText), texts.toSorted(byText), 'the texts it got');
    },
  ],
  [
    'does not send a message that was aborted before',
    async (under, roleId) => {
      await under.organization.spawn(agentWith('a', roleId), calmly());
      const signal = AbortSignal.abort();
      await rejection(under.organization.send(mailTo('a', 'never mind'), { signal }), 'a message that was aborted');
      await under.organization.send(mailTo('a', 'something else'), calmly());
      const told = await toldAtLeast(under, 'a', 1);
      same(heard(told, ['never mind', 'something else']), ['something else'], 'the texts it got');
    },
  ],
];

/** For each text received, in order, the sent text that it contains. */
function heard(told: readonly string[], texts: readonly string[]): readonly (string | undefined)[] {
  return told.map((one) => texts.find((text) => one.includes(text)));
}

function byText(one: string | undefined, other: string | undefined): number {
  return (one ?? '') < (other ?? '') ? -1 : 1;
}
