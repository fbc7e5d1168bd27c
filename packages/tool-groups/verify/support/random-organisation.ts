import { isAgentError } from '@x/core';
import { type FunctionDefinition, type Role, Runtime, type ToolModule } from '../../src/index.ts';
import { randomOf } from './random.ts';

/** What was done to the runtime, kept apart from it: the oracle reads only this. */
export interface Known {
  readonly roles: Map<string, Role>;
  readonly agents: Map<string, { readonly roleId: string; readonly createdBy: string }>;
  /** Ids that once were agents, and one that never was. */
  readonly ghosts: Set<string>;
  /** Absent: all there are. */
  readonly defaultGroups?: readonly string[];
}

export interface RandomOrganisation {
  readonly runtime: Runtime;
  readonly known: Known;
  /** Calls that reached a module. */
  readonly runs: { count: number };
  /** Does one random thing; what is refused changes nothing. */
  step(): Promise<void>;
}

const TOOLS = ['read_file', 'run_command', 'navigate', 'click', 'plot', 'toString'];
/** Roles and agents that are tried to be made before the first step. */
const BEGINNING = 5;
const GROUPS = ['workspace', 'command', 'org_management', 'console', 'chrome', 'charts', 'host', 'nobody'];

/** An organisation that grows and shrinks at random, the same for the same seed. */
export async function randomOrganisation(seed: number): Promise<RandomOrganisation> {
  const random = randomOf(seed);
  const runs = { count: 0 };
  const nothing = async () => undefined;
  const defaultGroups = random() < 0.5 ? undefined : ['workspace', 'chrome'];
  const runtime = new Runtime({
    organization: { spawn: nothing, send: nothing, terminate: nothing },
    limits: { maxAgents: 1000, maxDepth: 100 },
    ...(defaultGroups ? { defaultToolGroups: defaultGroups } : {}),
  });
  await runtime.init();
  const known: Known = {
    roles: new Map(),
    agents: new Map([['root', { roleId: 'root', createdBy: 'root' }]]),
    ghosts: new Set(['ghost', '__proto__']),
    ...(defaultGroups ? { defaultGroups } : {}),
  };
  const parts = { runtime, known, runs, random };
  const steps = stepsOf(parts);
  const tried = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!isAgentError(error)) throw error;
    }
  };
  for (let count = 0; count < BEGINNING; count++) await tried(pick(roleSteps(parts).slice(0, 3), random));
  for (let count = 0; count < BEGINNING; count++) await tried(pick(agentSteps(parts).slice(0, 2), random));
  return { runtime, known, runs, step: () => tried(pick(steps, random)) };
}

interface Parts {
  readonly runtime: Runtime;
  readonly known: Known;
  readonly runs: { count: number };
  readonly random: () => number;
}

function stepsOf(parts: Parts): readonly (() => Promise<void>)[] {
  return [...roleSteps(parts), ...agentSteps(parts), ...agentSteps(parts), ...groupSteps(parts)];
}

function roleSteps({ runtime, known, random }: Parts): readonly (() => Promise<void>)[] {
  const anyRole = () => pick([...known.roles.keys(), 'no-role'], random);
  const groups = () => GROUPS.filter(() => random() < 0.5);
  const make = async (): Promise<void> => {
    const toolGroups = random() < 0.4 ? {} : { toolGroups: random() < 0.1 ? [] : groups() };
    const createdBy = random() < 0.5 ? {} : { createdBy: pick([...known.agents.keys(), ...known.ghosts], random) };
    const name = `role ${random()}`;
    const role = await runtime.createRole({ name, rolePrompt: '', ...toolGroups, ...createdBy });
    known.roles.set(role.id, role);
  };
  const change = async (): Promise<void> => {
    const id = anyRole();
    const changes = random() < 0.3 ? { status: pick(['active', 'inactive'] as const, random) } : {};
    const toolGroups = random() < 0.2 ? null : groups();
    known.roles.set(id, await runtime.updateRole(id, { ...changes, toolGroups }));
  };
  const remove = async (): Promise<void> => {
    const id = anyRole();
    await runtime.deleteRole(id);
    known.roles.delete(id);
  };
  return [make, make, make, change, change, ...(random() < 0.5 ? [remove] : [])];
}

function agentSteps({ runtime, known, random }: Parts): readonly (() => Promise<void>)[] {
  const choose = () => ({
    roleId: pick([...known.roles.keys(), 'no-role'], random),
    createdBy:
      random() < 0.5 ? ([...known.agents.keys()].at(-1) ?? 'root') : pick([...known.agents.keys(), 'ghost'], random),
  });
  const adopt = async (): Promise<void> => {
    const wanted = choose();
    known.agents.set(runtime.createAgent(wanted).id, wanted);
  };
  const spawn = async (): Promise<void> => {
    const wanted = choose();
    known.agents.set((await runtime.spawnAgent(wanted)).id, wanted);
  };
  const end = async (): Promise<void> => {
    const ended = await runtime.terminateAgent(pick([...known.agents.keys()], random));
    for (const id of ended) {
      known.agents.delete(id);
      known.ghosts.add(id);
    }
  };
  return [adopt, spawn, spawn, spawn, ...(random() < 0.3 ? [end] : [])];
}

function groupSteps({ runtime, runs, random }: Parts): readonly (() => Promise<void>)[] {
  const { toolGroupManager: manager } = runtime;
  const tools = () => TOOLS.filter(() => random() < 0.4).map(definition);
  const names = ['chrome', 'charts'];
  return [
    async () => void (await runtime.loadModule(moduleOf(pick(names, random), tools(), runs))),
    async () => void (await runtime.loadModule(moduleOf(pick(names, random), tools(), runs))),
    async () => void (await runtime.unloadModule(pick(names, random))),
    async () => void manager.registerGroup('host', { description: '', tools: tools() }),
    async () => void manager.unregisterGroup(pick(['host', 'chrome', 'workspace'], random)),
    async () => void manager.updateGroup(pick(['workspace', 'command'], random), { description: '', tools: tools() }),
  ];
}

function moduleOf(name: string, tools: readonly FunctionDefinition[], runs: { count: number }): ToolModule {
  return {
    name,
    getToolDefinitions: () => tools,
    executeToolCall: () => {
      runs.count += 1;
      return 'ran';
    },
    init: () => undefined,
    shutdown: () => undefined,
  };
}

/** The same text for everybody, so that groups can share it. */
function definition(name: string): FunctionDefinition {
  return { type: 'function', function: { name, description: 'one of many', parameters: { type: 'object' } } };
}

function pick<T>(list: readonly T[], random: () => number): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('Nothing to pick from');
  return found;
}
