import { AbortError, type AgentHandler, type Tool, ValidationError } from '@x/core';
import type { Role, Runtime } from '@x/tool-groups';
import { ROOT_AGENT_ID } from '@x/tool-groups/internal';
import type { LiveToolGroups } from '../options/role-access.ts';
import type { SessionOptions } from '../options/types.ts';
import type { OrganizationOptions } from './organization-options.ts';

/** The agent that exists from the beginning. */
export const ROOT: typeof ROOT_AGENT_ID = ROOT_AGENT_ID;

const ROOT_PROMPT = [
  'You lead an organisation of agents. You do no work yourself: you find or make roles, start agents with tasks, and put together what',
  'they answer. An agent knows only what its role and its messages say. Its answer comes to you as a message, when it has ended its',
  'task; end your turn to wait for it. Terminate agents that are no longer needed.',
].join(' ');

/** The role of the root agent; it is in no store. */
export function rootRole(prompt: string = ROOT_PROMPT): Role {
  return {
    id: ROOT,
    name: ROOT,
    rolePrompt: prompt,
    createdBy: ROOT,
    createdAt: new Date(0).toISOString(),
    status: 'active',
    llmServiceId: null,
    toolGroups: ['org_management'],
  };
}

interface AgentParts {
  readonly agentId: string;
  readonly role: Role;
  readonly runtime: Runtime;
  readonly options: OrganizationOptions;
  readonly isEnded: () => boolean;
}

/** Options of an agent's session: the host's options for all, with its own role, tools and model. */
export function optionsOfAgent({ agentId, role, runtime, options, isEnded }: AgentParts): SessionOptions {
  const { handlers = [], ...rest } = options.session;
  return {
    ...rest,
    ...modelOf(role, options),
    role,
    toolGroups: decidedBy(runtime, agentId),
    tools: toolsOf(runtime, agentId, options),
    handlers: [stopsWhen(isEnded), ...handlers],
  };
}

/** The runtime decides, at each call, from the groups of the agent and of those above it. */
function decidedBy(runtime: Runtime, agentId: string): LiveToolGroups {
  return {
    isToolInGroups: (toolName) => runtime.canUse(agentId, toolName),
    getAllGroupIds: () => [...runtime.toolGroupsOf(agentId)],
  };
}

/** The host's tools unchanged, so that they are judged as in any session, and those of the organisation and of modules. */
function toolsOf(
  runtime: Runtime,
  agentId: string,
  { session }: OrganizationOptions,
): NonNullable<SessionOptions['tools']> {
  const own = session.tools ?? [];
  const names = new Set(own.map(({ name }) => name));
  const more: readonly Tool[] = runtime.toolsForAgent(agentId);
  return [...own, ...more.filter(({ name }) => !names.has(name))];
}

function modelOf({ name, llmServiceId }: Role, { modelFor }: OrganizationOptions): Partial<SessionOptions> {
  if (llmServiceId === null) return {};
  const choice = modelFor?.(llmServiceId);
  if (choice) return choice;
  const message = `The role ${name} asks for the model service ${llmServiceId}, which there is not`;
  throw new ValidationError(message, 'modelFor');
}

/** Ends a run at once that begins while its agent is being terminated. */
function stopsWhen(isEnded: () => boolean): AgentHandler {
  return {
    name: 'organization',
    beforeAgent(_, run) {
      if (run.depth === 0 && isEnded()) throw new AbortError('The agent was terminated');
    },
  };
}
