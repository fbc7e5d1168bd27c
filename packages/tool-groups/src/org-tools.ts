import { faultsText, isAgentError, type JsonSchema, type Schema } from '@x/core';
import { jsonSchema } from '@x/json-schema';
import type { FunctionDefinition } from '@x/registry';
import type { AgentInfo, OrgActions } from './org-actions.ts';
import type { Role } from './role.ts';

/** The answer of an organisation tool: plain JSON, in one of two shapes. `error` is the code of the refusal in lower case. */
export type OrgAnswer =
  | { readonly ok: true; readonly [fact: string]: unknown }
  | { readonly error: string; readonly message: string };

/** The agent that asks, and the limits of its wait. */
export interface OrgCaller {
  readonly agentId: string;
  readonly signal?: AbortSignal;
}

/** One tool of the group `org_management`. */
export interface OrgTool {
  readonly name: string;
  readonly definition: FunctionDefinition;
  /** Carries it out with `actions`. Never rejects: a refusal or a failure is an answer. */
  call(actions: OrgActions, args: unknown, caller: OrgCaller): Promise<OrgAnswer>;
}

/** The six tools that let agents find roles, create roles and agents, end agents, and write to each other. */
export function orgTools(): readonly OrgTool[] {
  return [findRoleByName(), createRole(), spawnAgent(), spawnAgentWithTask(), terminateAgent(), sendMessage()];
}

function findRoleByName(): OrgTool {
  const parameters = object({ name: text('The exact name of the role') }, ['name']);
  return orgTool<{ name: string }>(
    {
      name: 'find_role_by_name',
      description: 'Finds a role by its name; role is null when there is none.',
      parameters,
    },
    async (actions, { name }) => {
      const role = actions.findRoleByName(name);
      return { role: role ? toldOf(role) : null };
    },
  );
}

interface RoleInput {
  readonly name: string;
  readonly rolePrompt: string;
  readonly toolGroups?: readonly string[];
  readonly llmServiceId?: string;
}

function createRole(): OrgTool {
  const properties = {
    name: text('A name that no other role has'),
    // May be empty like the host's: a role may consist of its groups alone.
    rolePrompt: {
      type: 'string',
      description: 'The instruction of agents of this role: who they are, and what they do',
    },
    toolGroups: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ids of the tool groups its agents may use, among your own; left out: the usual ones',
    },
    llmServiceId: text('The model service its agents use; left out: the usual one'),
  };
  return orgTool<RoleInput>(
    {
      name: 'create_role',
      description: 'Makes a role, of which agents can be spawned. Look for one that fits first.',
      parameters: object(properties, ['name', 'rolePrompt']),
    },
    async (actions, input, { agentId }) => {
      const { id, name } = await actions.createRole({ ...input, createdBy: agentId });
      return { roleId: id, name };
    },
  );
}

const ROLE_ID = 'The id of the role, from find_role_by_name or create_role';

function spawnAgent(): OrgTool {
  return orgTool<{ roleId: string }>(
    {
      name: 'spawn_agent',
      description: 'Starts an agent of a role. It waits for its first message.',
      parameters: object({ roleId: text(ROLE_ID) }, ['roleId']),
    },
    spawn,
  );
}

function spawnAgentWithTask(): OrgTool {
  const properties = {
    roleId: text(ROLE_ID),
    task: text('What it is to do, with all that it has to know: it sees nothing of your conversation'),
  };
  return orgTool<{ roleId: string; task: string }>(
    {
      name: 'spawn_agent_with_task',
      description: 'Starts an agent of a role, which begins with its task at once.',
      parameters: object(properties, ['roleId', 'task']),
    },
    spawn,
  );
}

/** Shared by both tools. */
async function spawn(
  actions: OrgActions,
  input: { readonly roleId: string; readonly task?: string },
  { agentId, ...waiting }: OrgCaller,
): Promise<Facts> {
  const { id, roleId }: AgentInfo = await actions.spawnAgent({ ...input, createdBy: agentId }, waiting);
  return { agentId: id, roleId };
}

function terminateAgent(): OrgTool {
  return orgTool<{ agentId: string }>(
    {
      name: 'terminate_agent',
      description: 'Ends an agent that you made, directly or through one that you made, and all that it made.',
      parameters: object({ agentId: text('The id of the agent') }, ['agentId']),
    },
    async (actions, input, { agentId, ...waiting }) => {
      const terminated = await actions.terminateAgent(input.agentId, { by: agentId, ...waiting });
      return { agentId: input.agentId, terminated };
    },
  );
}

function sendMessage(): OrgTool {
  const properties = { to: text('The id of the agent; root is the first of all'), text: text('The message') };
  return orgTool<{ to: string; text: string }>(
    {
      name: 'send_message',
      description: 'Sends a message to another agent. An answer, if there is one, comes as a message to you.',
      parameters: object(properties, ['to', 'text']),
    },
    async (actions, input, { agentId, ...waiting }) => {
      const { id, to } = await actions.sendMessage({ ...input, from: agentId }, waiting);
      return { messageId: id, to };
    },
  );
}

type Facts = Readonly<Record<string, unknown>>;

function orgTool<Input>(
  described: FunctionDefinition['function'],
  act: (actions: OrgActions, input: Input, caller: OrgCaller) => Promise<Facts>,
): OrgTool {
  let schema: Schema | undefined; // most runtimes never call most of them
  return {
    name: described.name,
    definition: { type: 'function', function: described },
    async call(actions, args, caller) {
      try {
        schema ??= jsonSchema(described.parameters);
        const input = schema.parse(args) as Input; // safe: `Input` is written as the schema says, beside it
        return { ok: true, ...(await act(actions, input, caller)) };
      } catch (error) {
        return { error: isAgentError(error) ? error.code.toLowerCase() : 'internal_error', message: faultsText(error) };
      }
    },
  };
}

function toldOf({ id, name, rolePrompt, status, toolGroups }: Role): Facts {
  return { id, name, rolePrompt, status, ...(toolGroups ? { toolGroups: [...toolGroups] } : {}) };
}

function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function text(description: string): JsonSchema {
  return { type: 'string', minLength: 1, description };
}
