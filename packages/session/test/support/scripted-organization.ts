import type { ModelRequest, StreamMessage } from '@x/core';
import type { Script, ScriptedReply } from '@x/core/testing';
import { memoryRoleStore, type RoleStore, type ToolModule } from '@x/tool-groups';
import { createOrganization, memoryStore, type OrganizationOptions } from '../../src/index.ts';
import { linesOf, only, scriptedProvider } from './makers.ts';

/** What an agent says, by its name in the instruction; root without a role prompt of its own. */
export type Parts = Readonly<Record<string, (request: ModelRequest) => ScriptedReply>>;

/** An organisation in memory whose agents play their parts, the models it has made and what they were asked; its caller closes it. */
export async function setUp(parts: Parts, options: Partial<OrganizationOptions> = {}) {
  const { provider, models } = scriptedProvider(played(parts));
  const roles = options.roles ?? memoryRoleStore();
  const organization = await createOrganization({
    id: 'acme',
    store: memoryStore(),
    rootPrompt: 'You are root.',
    roles,
    ...options,
    session: { provider, model: 'm', permissionMode: 'bypassPermissions', ...options.session },
  });
  return { organization, models, requests: () => models.flatMap((model) => model.requests) };
}

/** The script of a model that plays the part of each agent. */
export const played =
  (parts: Parts): Script =>
  (request) =>
    parts[nameIn(request)]?.(request) ?? { text: 'I have nothing to do.' };

/** Active roles by these names, each with what is given beside its name. */
export async function rolesWith(...names: readonly (string | readonly [string, object])[]): Promise<RoleStore> {
  const roles = memoryRoleStore();
  for (const one of names) await (typeof one === 'string' ? roleIn(roles, one) : roleIn(roles, ...one));
  return roles;
}

async function roleIn(roles: RoleStore, name: string, more: object = {}) {
  const role = {
    id: name,
    name,
    rolePrompt: `You are ${name}.`,
    createdBy: 'root',
    createdAt: '2026-01-11T08:00:00.000Z',
    status: 'active' as const,
    llmServiceId: null,
    ...more,
  };
  await roles.save(role);
  return role;
}

/** Root starts one worker with a task, and says what it answers. */
export const leading: Parts = {
  root: (request) => {
    const last = lastOf(request);
    if (last.includes('Begin.')) return callsOf('spawn_agent_with_task', { roleId: 'worker', task: 'Count.' });
    return { text: last.includes('There are 3') ? 'They say 3.' : 'I wait.' };
  },
  worker: () => ({ text: 'There are 3.' }),
};

/** A reply that asks for one call. */
export const callsOf = (name: string, input: object): ScriptedReply => ({ toolCalls: [{ name, input }] });
/** Tells that it was asked, and never answers. */
export function hanging({ resolve }: { readonly resolve: () => void }): ScriptedReply {
  resolve();
  return { hangs: true };
}

/** The agent that is asked, by its instruction. */
export const nameIn = ({ instruction }: ModelRequest) => /You are (\w+)\./.exec(instruction)?.[1] ?? 'nobody';
/** What it was told last. */
export const lastOf = ({ messages }: ModelRequest): string => linesOf(messages.at(-1)!);
/** What the runs have come to, in their order. */
export const texts = (events: readonly StreamMessage[]) => only(events, 'result').map(({ content }) => content);

/** A module with one tool of its name, which notes that it ran. */
export function moduleWith(name: string, ran: string[]): ToolModule {
  return moduleOf(name, () => {
    ran.push(name);
    return 'seen';
  });
}

/** A module with one tool of its name, which does this. */
export function moduleOf(name: string, execute: (signal: AbortSignal | undefined) => unknown): ToolModule {
  const definition = {
    type: 'function',
    function: { name, description: name, parameters: { type: 'object' } },
  } as const;
  return {
    name,
    getToolDefinitions: () => [definition],
    executeToolCall: ({ signal }) => execute(signal),
    init: () => undefined,
    shutdown: () => undefined,
  };
}
