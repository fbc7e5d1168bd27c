// A tool is listed for an agent exactly when a call of that agent would run, over random organisations; a child is never wider than
// its creator. Controls: a runtime whose execution forgets the role, one whose listing forgets the creator. Both must be found out.
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Runtime } from '../src/index.ts';
import { isPermitted, itself, lookAt, namesOf, type Subject } from './support/visible-iff-executable.ts';
import type { Found, Share } from './support/visible-iff-executable-part.ts';

const RUNS = Number(process.env['RUNS'] ?? 10_000);
const CONTROL_RUNS = 200;
const THREADS = Math.min(4, availableParallelism());

Error.stackTraceLimit = 0; // most calls are refused, and nobody reads where
const parts = await Promise.all(Array.from({ length: THREADS }, (_, first) => part(first)));
const total = (count: (found: Found) => number) => parts.reduce((sum, found) => sum + count(found), 0);
const [looked, pairs, visible] = [
  total((found) => found.looked),
  total((found) => found.pairs),
  total((found) => found.visible),
];
const deepest = Math.max(...parts.map((found) => found.deepest));
const wrong = parts.flatMap((found) => found.wrong);
for (const one of wrong.slice(0, 3)) console.error(one);
console.log(
  `${looked} organisations, ${pairs} pairs of agent and tool, ${visible} visible, ${deepest} levels: ${wrong.length} wrong`,
);
if (looked !== RUNS || wrong.length > 0 || visible < pairs / 50 || deepest < 4) process.exitCode = 1;

await control('execution forgets the role', executesWithoutRole);
await control('listing forgets the creator', listsWithoutCreator);
console.log(process.exitCode ? 'visible-iff-executable: FAILED' : 'visible-iff-executable: ok');

/** A thread with its share. */
async function part(first: number): Promise<Found> {
  const workerData: Share = { first, threads: THREADS, runs: RUNS };
  const worker = new Worker(new URL('./support/visible-iff-executable-part.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: 64 }, // nearly all of it is garbage at once
  });
  const [found] = (await once(worker, 'message')) as [Found]; // safe: what the part says
  return found;
}

async function control(name: string, subjectOf: (runtime: Runtime) => Subject): Promise<void> {
  let found = 0;
  for (let seed = 0; seed < CONTROL_RUNS; seed++) {
    if (await lookAt(seed, subjectOf, { pairs: 0, visible: 0, deepest: 0 })) found += 1;
  }
  console.log(`control: ${name}: found out in ${found} of ${CONTROL_RUNS}`);
  if (found === 0) process.exitCode = 1;
}

/** The groups as the specification's own sketch computes them: a missing role has all. */
function executesWithoutRole(runtime: Runtime): Subject {
  const real = itself(runtime);
  return {
    listed: real.listed,
    async call(agentId, toolName) {
      const answer = await real.call(agentId, toolName);
      const { toolGroupManager: manager } = runtime;
      const role = runtime.getRole(runtime.getAgent(agentId)?.roleId ?? '');
      const groups = agentId === 'root' ? ['org_management'] : (role?.toolGroups ?? manager.getAllGroupIds());
      return isPermitted(answer) || manager.isToolInGroups(toolName, groups) ? 'ran' : answer;
    },
  };
}

function listsWithoutCreator(runtime: Runtime): Subject {
  const real = itself(runtime);
  return {
    call: real.call,
    listed(agentId) {
      const role = runtime.getRole(runtime.getAgent(agentId)?.roleId ?? '');
      if (agentId === 'root' || role?.status !== 'active' || !role.toolGroups) return real.listed(agentId);
      return namesOf(runtime.toolGroupManager.getToolDefinitions(role.toolGroups));
    },
  };
}
