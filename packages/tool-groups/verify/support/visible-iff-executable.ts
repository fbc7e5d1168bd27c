import type { Runtime } from '../../src/index.ts';
import { type Known, type RandomOrganisation, randomOrganisation } from './random-organisation.ts';

/** What is looked at: the runtime itself, or a control that is wrong on purpose. */
export interface Subject {
  listed(agentId: string): ReadonlySet<string>;
  /** The answer of a call. */
  call(agentId: string, toolName: string): Promise<unknown>;
}
/** What was counted. */
export interface Counted {
  pairs: number;
  visible: number;
  deepest: number;
}

const EVERYBODY = ['navigate', 'click', 'plot', 'toString', 'read_file', 'run_command', 'no_such_tool'];

/**
 * One random organisation: after every step no child is wider than its creator, and after every sixth each agent, past ones
 * included, and each tool: listed, run, and allowed by the oracle are the same thing. Returns what is wrong, or nothing.
 */
export async function lookAt(
  seed: number,
  subjectOf: (runtime: Runtime) => Subject,
  counted: Counted,
): Promise<string | undefined> {
  const organisation = await randomOrganisation(seed);
  const subject = subjectOf(organisation.runtime);
  const steps = 6 + (seed % 12);
  for (let step = 1; step <= steps; step++) {
    await organisation.step();
    const isLooked = step % 6 === 0 || step === steps;
    const tooWide = wider(organisation.known, subject);
    const wrong = tooWide ?? (isLooked ? await differing(organisation, subject, counted) : undefined);
    if (wrong !== undefined) return `seed ${seed}, step ${step}: ${wrong}`;
  }
  await organisation.runtime.shutdown();
  return undefined;
}

/** The runtime as it is. */
export function itself(runtime: Runtime): Subject {
  return {
    listed: (agentId) => namesOf(runtime.getToolDefinitionsForAgent(agentId)),
    call: (agentId, toolName) => runtime.executeToolCall({ agent: { id: agentId } }, toolName, {}),
  };
}

async function differing(
  { runtime, known, runs }: RandomOrganisation,
  subject: Subject,
  counted: Counted,
): Promise<string | undefined> {
  const groups = new Map(runtime.toolGroupManager.listGroups().map(({ id, tools }) => [id, tools]));
  const everyTool = new Set([...EVERYBODY, ...[...groups.values()].flat().slice(0, 8)]);
  for (const agentId of [...known.agents.keys(), ...known.ghosts]) {
    const allowed = new Set(groupsBy(agentId, known, runtime).flatMap((id) => groups.get(id) ?? []));
    const listed = subject.listed(agentId);
    counted.deepest = Math.max(counted.deepest, depthOf(agentId, known));
    for (const toolName of everyTool) {
      const before = runs.count;
      const ran = isPermitted(await subject.call(agentId, toolName));
      counted.pairs += 1;
      if (ran) counted.visible += 1;
      const sees = listed.has(toolName);
      if (sees === ran && ran === allowed.has(toolName) && (ran || runs.count === before)) continue;
      return `${agentId} and ${toolName}: listed ${sees}, ran ${ran}, allowed ${allowed.has(toolName)}`;
    }
  }
  return undefined;
}

function wider({ agents }: Known, subject: Subject): string | undefined {
  for (const [id, { createdBy }] of agents) {
    if (createdBy === 'root') continue;
    const limit = subject.listed(createdBy);
    const tooMuch = [...subject.listed(id)].find((name) => !limit.has(name));
    if (tooMuch !== undefined) return `${id} has ${tooMuch}, which its creator ${createdBy} has not`;
  }
  return undefined;
}

/** The oracle: recursion over what was done, nothing of the runtime but the list of its groups. */
function groupsBy(agentId: string, known: Known, runtime: Runtime): readonly string[] {
  const agent = known.agents.get(agentId);
  if (!agent) return [];
  if (agentId === 'root') return ['org_management'];
  const role = known.roles.get(agent.roleId);
  if (role?.status !== 'active') return [];
  const own = role.toolGroups ?? known.defaultGroups ?? runtime.toolGroupManager.getAllGroupIds();
  if (agent.createdBy === 'root') return own;
  const above = groupsBy(agent.createdBy, known, runtime);
  return own.filter((id) => above.includes(id));
}

function depthOf(agentId: string, known: Known): number {
  const agent = known.agents.get(agentId);
  return !agent || agentId === 'root' ? 0 : 1 + depthOf(agent.createdBy, known);
}

/** Refused for lack of permission, or not: what nothing runs, or what fails, was permitted. */
export function isPermitted(answer: unknown): boolean {
  const error = (answer as { readonly error?: unknown } | null)?.error;
  return error !== 'tool_not_available' && error !== 'unknown_tool';
}

export function namesOf(definitions: readonly { readonly function: { readonly name: string } }[]): ReadonlySet<string> {
  return new Set(definitions.map((one) => one.function.name));
}
