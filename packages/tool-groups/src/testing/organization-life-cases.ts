import { rejection, same } from './in-time.ts';
import { agentWith, calmly, mailTo, type OrganizationCase, toldAtLeast } from './organization-case.ts';
import type { OrganizationUnderTest } from './organization-under-test.ts';

/** Cases about the begin and end of agents. */
export const lifeCases: readonly OrganizationCase[] = [
  [
    'runs an agent from the moment its spawn has resolved, and begins with its task',
    async (under, roleId) => {
      same(await under.isRunning('a'), false, 'before');
      await under.organization.spawn(agentWith('a', roleId, { task: 'count the stars' }), calmly());
      same(await under.isRunning('a'), true, 'after');
      same((await toldAtLeast(under, 'a', 1))[0]?.includes('count the stars'), true, 'the task comes first');
    },
  ],
  [
    'runs an agent without a task, which waits for messages',
    async (under, roleId) => {
      await under.organization.spawn(agentWith('a', roleId), calmly());
      same([await under.isRunning('a'), await under.toldTo('a')], [true, []], 'running, texts');
    },
  ],
  [
    'ends an agent by the time its termination has resolved, and no other',
    async (under, roleId) => {
      await under.organization.spawn(agentWith('a', roleId), calmly());
      await under.organization.spawn(agentWith('b', roleId), calmly());
      await under.organization.terminate('a', calmly());
      same([await under.isRunning('a'), await under.isRunning('b')], [false, true], 'who runs');
      await under.organization.send(mailTo('b', 'still there?'), calmly());
      same((await toldAtLeast(under, 'b', 1))[0]?.includes('still there?'), true, 'the other one hears');
    },
  ],
  [
    'takes the termination of nobody, and of one that has ended, as done',
    async (under, roleId) => {
      await under.organization.terminate('nobody', calmly());
      await under.organization.spawn(agentWith('a', roleId), calmly());
      await Promise.all([under.organization.terminate('a', calmly()), under.organization.terminate('a', calmly())]);
      await under.organization.terminate('a', calmly());
      same(await under.isRunning('a'), false, 'it runs');
    },
  ],
  [
    'refuses a second agent of an id, and leaves the first one alone',
    async (under, roleId) => {
      await under.organization.spawn(agentWith('a', roleId), calmly());
      await rejection(under.organization.spawn(agentWith('a', roleId), calmly()), 'a second agent of the id');
      same(await under.isRunning('a'), true, 'the first one runs');
      await under.organization.send(mailTo('a', 'hello'), calmly());
      same((await toldAtLeast(under, 'a', 1))[0]?.includes('hello'), true, 'the first one hears');
    },
  ],
  [
    'refuses to spawn an agent called root',
    async (under, roleId) => {
      await rejection(under.organization.spawn(agentWith('root', roleId), calmly()), 'another root');
    },
  ],
  [
    'leaves nothing behind when a spawn is aborted, and takes the id again',
    async (under, roleId) => {
      const signal = AbortSignal.abort();
      await rejection(under.organization.spawn(agentWith('a', roleId), { signal }), 'a spawn that was aborted');
      same(await under.isRunning('a'), false, 'it runs');
      await rejection(under.organization.send(mailTo('a', 'hello'), calmly()), 'a message to it');
      await under.organization.spawn(agentWith('a', roleId), calmly());
      same(await under.isRunning('a'), true, 'the second one runs');
    },
  ],
  [
    'runs or does not run an agent whose spawn is aborted under way, as it answers',
    async (under, roleId) => {
      const abort = new AbortController();
      const spawning = under.organization.spawn(agentWith('a', roleId), { signal: abort.signal });
      abort.abort();
      const answered = await spawning.then(
        () => true,
        () => false,
      );
      same(await under.isRunning('a'), answered, 'it runs');
    },
  ],
  [
    'spawns, and ends, many at once',
    async (under, roleId) => {
      const ids = Array.from({ length: 10 }, (_, index) => `agent-${index}`);
      await Promise.all(ids.map((id) => under.organization.spawn(agentWith(id, roleId), calmly())));
      same(await whichRun(under, ids), ids, 'who runs');
      await Promise.all(ids.map((id) => under.organization.terminate(id, calmly())));
      same(await whichRun(under, ids), [], 'who runs afterwards');
    },
  ],
];

async function whichRun(under: OrganizationUnderTest, ids: readonly string[]): Promise<readonly string[]> {
  const running: string[] = [];
  for (const id of ids) if (await under.isRunning(id)) running.push(id);
  return running;
}
