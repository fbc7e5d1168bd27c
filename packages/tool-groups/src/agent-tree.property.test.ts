import { fc, test } from '@fast-check/vitest';
import { isAgentError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { AgentTree } from './agent-tree.ts';
import type { Organization } from './organization.ts';
import { type MemoryOrganization, memoryOrganization } from './testing/memory-organization.ts';
import { roleWith } from './testing/role-store-case.ts';

/** Agents are a0, a1, ... by the command that spawned them; a number stands for the agent of that command, the last one for root. */
type Command =
  | { readonly kind: 'spawn'; readonly by: number; readonly abort: boolean }
  | { readonly kind: 'terminate'; readonly by: number; readonly whom: number }
  | { readonly kind: 'send'; readonly by: number; readonly whom: number };

const MOST = 10;
const [MAX_AGENTS, MAX_DEPTH] = [4, 3];
const REFUSALS = [
  'ABORTED',
  'AGENT_DEPTH_LIMIT',
  'AGENT_LIMIT',
  'AGENT_NOT_FOUND',
  'AGENT_TERMINATING',
  'INVALID_RECIPIENT',
  'NOT_ITS_CREATOR',
  'SEND_FAILED',
  'SPAWN_FAILED',
  'TERMINATE_FAILED',
];

const anybody = fc.integer({ min: 0, max: MOST });
const plans = fc.record({
  commands: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('spawn' as const), by: anybody, abort: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('terminate' as const), by: anybody, whom: anybody }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('send' as const), by: anybody, whom: anybody }) },
    ),
    { maxLength: MOST },
  ),
  /** Which steps of the organisation fail, by their number. */
  failing: fc.uniqueArray(fc.nat({ max: 20 }), { maxLength: 4 }),
});
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

describe('AgentTree under interleavings', () => {
  test.prop([fc.scheduler(), plans], { numRuns: 300 })(
    'answers every call, and never differs from what the organisation runs',
    async (schedule, plan) => {
      const faults = await played(schedule, plan, (memory) => memory);

      expect(faults).toEqual([]);
    },
  );

  it.each<[string, (memory: MemoryOrganization) => Organization]>([
    ['leaves agents behind when it fails to spawn', (memory) => ({ ...memory, spawn: leaving(memory) })],
    ['does not end agents', (memory) => ({ ...memory, terminate: async () => undefined })],
    [
      'starts agents after it has answered',
      (memory) => ({
        ...memory,
        spawn: async (agent, options) =>
          void setImmediate(() => void memory.spawn(agent, options).catch(() => undefined)),
      }),
    ],
  ])('is told apart from an organisation that %s', async (_fault, change) => {
    const details = await fc.check(
      fc.asyncProperty(fc.scheduler(), plans, async (schedule, plan) => {
        const faults = await played(schedule, plan, change);
        return faults.length === 0;
      }),
      { numRuns: 300, endOnFailure: true },
    );

    expect(details.failed).toBe(true);
  });
});

/** Plays all commands at once, in the order that the schedule gives each step; what was wrong. */
async function played(
  schedule: fc.Scheduler,
  { commands, failing }: Plan,
  change: (memory: MemoryOrganization) => Organization,
): Promise<readonly string[]> {
  const faults: string[] = [];
  let [steps, failedEnds, calm] = [0, 0, false];
  const memory = memoryOrganization({
    before: async (step) => {
      if (calm) return;
      await schedule.schedule(Promise.resolve());
      if (!failing.includes(steps++)) return;
      if (step === 'terminate') failedEnds += 1;
      throw new Error('a fault');
    },
  });
  const running = () => memory.agents().map(({ id }) => id);
  const tree = new AgentTree({ organization: change(memory), maxAgents: MAX_AGENTS, maxDepth: MAX_DEPTH });
  const living = () =>
    tree
      .list()
      .map(({ id }) => id)
      .slice(1);
  const creators = new Map<string, string>();
  const ended = new Set<string>();

  const runs = commands.map(async (command, index) => {
    await schedule.schedule(Promise.resolve());
    try {
      const before = familyOf(command.kind === 'terminate' ? idOf(command.whom) : '', creators);
      await done(tree, command, { index, schedule, creators });
      if (
        command.kind === 'spawn' &&
        !running().includes(`a${index}`) &&
        !ended.has(`a${index}`) &&
        tree.get(`a${index}`)
      ) {
        faults.push(`a${index} was answered and does not run`);
      }
      for (const id of command.kind === 'terminate' ? before : []) {
        ended.add(id);
        if (running().includes(id)) faults.push(`${id} runs after its end was answered`);
        if (living().includes(id)) faults.push(`${id} may act after its end was answered`);
      }
    } catch (error) {
      const code = isAgentError(error) ? error.code : String(error);
      if (!REFUSALS.includes(code)) faults.push(`${command.kind} was answered with ${code}`);
    }
    if (running().length > MAX_AGENTS) faults.push(`${running().length} agents run`);
  });
  await schedule.waitFor(Promise.all(runs));
  await schedule.waitIdle();
  await new Promise((resolve) => setImmediate(resolve));
  await schedule.waitIdle();

  for (const id of living()) if (!running().includes(id)) faults.push(`${id} may act and does not run`);
  for (const id of running()) if (failedEnds === 0 && !living().includes(id)) faults.push(`${id} runs and may not act`);
  calm = true;
  for (const id of creators.keys()) {
    await tree.terminate(id).catch((error: unknown) => {
      if (!isAgentError(error) || error.code !== 'AGENT_NOT_FOUND') faults.push(`ending ${id}: ${String(error)}`);
    });
  }
  return [...faults, ...running().map((id) => `${id} runs after all were ended`)];
}

async function done(
  tree: AgentTree,
  command: Command,
  { index, schedule, creators }: { index: number; schedule: fc.Scheduler; creators: Map<string, string> },
): Promise<void> {
  const by = idOf(command.by);
  if (command.kind === 'terminate') return void (await tree.terminate(idOf(command.whom), { by }));
  if (command.kind === 'send') return void (await tree.send({ from: by, to: idOf(command.whom), text: 'hello' }));
  const abort = new AbortController();
  if (command.abort) void schedule.schedule(Promise.resolve()).then(() => abort.abort());
  const spawning = tree.spawn({ id: `a${index}`, role, createdBy: by }, { signal: abort.signal });
  if (tree.signalOf(`a${index}`)) creators.set(`a${index}`, by); // it was not refused at once
  await spawning;
}

function idOf(who: number): string {
  return who === MOST ? 'root' : `a${who}`;
}

/** The agent and those below it. */
function familyOf(id: string, creators: ReadonlyMap<string, string>): readonly string[] {
  const below = [...creators].filter(([, creator]) => creator === id).flatMap(([child]) => familyOf(child, creators));
  return id === '' ? [] : [id, ...below];
}

function leaving(memory: MemoryOrganization): Organization['spawn'] {
  return async (agent, options) => {
    try {
      await memory.spawn(agent, options);
    } catch (error) {
      await memory.spawn(agent, { signal: new AbortController().signal }).catch(() => undefined);
      throw error;
    }
  };
}

const role = roleWith({ id: 'worker', name: 'worker' });
