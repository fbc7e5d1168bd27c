import { AbortError, defineTool, type Tool } from '@x/core';
import { isTool, present, quietly } from '@x/core/internal';
import { checkOptions } from '@x/errors/option-rules';
import { Runtime, type RuntimeOptions } from '@x/tool-groups';
import { builtinTools } from '@x/tools';
import { createSession, resumeSession } from '../create-session.ts';
import { localEngine } from '../engine/local-engine.ts';
import { serveOpened } from '../engine/serve-sessions.ts';
import { requireNode } from '../host/node-version.ts';
import { sessionRuntimeTools } from '../options/role-access.ts';
import type { ISession } from '../options/session-interface.ts';
import { adapted, withOwnTools } from '../run/own-tools.ts';
import { optionsOfAgent, ROOT, rootRole } from './agent-options.ts';
import { type AgentRecord, agentMetadata, findAgents } from './agent-record.ts';
import { AgentSessions } from './agent-sessions.ts';
import { type Closer, closeAll, openOrganization, type SessionOrganization } from './open-organization.ts';
import { ORGANIZATION, type OrganizationOptions } from './organization-options.ts';

/**
 * Creates an organisation, or continues the one with this id: finds its agents in the store and continues their runs, undelivered messages
 * and unsent answers. Closed by the caller, before the store.
 * @throws ValidationError, AuthenticationError, and errors of the stores
 */
export async function createOrganization(options: OrganizationOptions): Promise<SessionOrganization> {
  requireNode();
  checkOptions('The options', options, ORGANIZATION);
  if (options.signal?.aborted) throw new AbortError();
  const closers: Closer[] = [];
  try {
    return await opened(options, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function opened(given: OrganizationOptions, closers: Closer[]): Promise<SessionOrganization> {
  const options = { ...given, session: { ...given.session, tools: toolsOf(given) } };
  const { store, concurrency = 4, onError } = options;
  const engine = localEngine({ concurrency });
  closers.push(async () => await engine[Symbol.asyncDispose]());
  const agents = new AgentSessions(options, engine);
  const runtime = new Runtime({ ...runtimeOptions(options), organization: agents });
  closers.push(() => runtime.shutdown());
  await runtime.init();
  agents.begin(runtime);
  const found = await findAgents(store, options.id);
  const root = await rootSession(options, { runtime, agents, found });
  closers.push(async () => agents.workload.changed()); // once root is closed: whoever waits looks at it
  closers.push(() => root.close());
  const entered = found.filter((agent) => agent.agentId !== ROOT && entersAgain(agent, { runtime, agents, options }));
  const serving = await serveOpened({
    engine: agents.engine,
    store,
    options: (sessionId) => agents.optionsFor(sessionId),
    onOpen: (session) => agents.opened(session),
    onAsk: (sessionId) => agents.workload.begun(sessionId),
    onEvent: (event, sessionId) => agents.saw(event, sessionId),
    ...(onError ? { onError: (error, sessionId) => onError(error, agents.agentOf(sessionId)) } : {}),
  });
  closers.push(async () => await serving[Symbol.asyncDispose]());
  for (const agent of entered) {
    // A log that cannot be read is reported; the other agents continue.
    await agents.recover(agent).catch((error: unknown) => leftOut(error, agent, options));
  }
  return openOrganization({ id: options.id, runtime, root, agents, closers, signal: options.signal });
}

interface Parts {
  readonly runtime: Runtime;
  readonly agents: AgentSessions;
}

function runtimeOptions(options: OrganizationOptions): RuntimeOptions {
  const { roles, modules, toolGroups, defaultToolGroups, limits, logger, session } = options;
  return {
    tools: (session.tools ?? []).map((tool) => (isTool(tool) ? tool : defineTool(tool))),
    ...(modules ? { config: { modules } } : {}),
    ...present({ toolGroups, roles, defaultToolGroups, limits, logger }),
  };
}

/** The tools of the built-in groups, followed or replaced by the host's own. */
function toolsOf({ session, logger }: OrganizationOptions): readonly Tool[] {
  const inEverySession = builtinTools().map(({ name }) => name);
  return withOwnTools(sessionRuntimeTools(logger), adapted(session.tools), inEverySession);
}

async function rootSession(
  options: OrganizationOptions,
  { runtime, agents, found }: Parts & { readonly found: readonly AgentRecord[] },
): Promise<ISession> {
  const facts = { agentId: ROOT, roleId: ROOT, createdBy: ROOT };
  const parts = { agentId: ROOT, role: rootRole(options.rootPrompt), runtime, options, isEnded: () => false };
  const made = { ...optionsOfAgent(parts), store: options.store };
  const before = found.find(({ agentId }) => agentId === ROOT);
  const root = before
    ? await resumeSession({ ...made, sessionId: before.sessionId })
    : await createSession({ ...made, title: ROOT, metadata: agentMetadata(options.id, facts) });
  agents.enter({ ...facts, sessionId: root.sessionId });
  return root;
}

/** Registers an agent again; false, for those below it too, when its role is gone or has more than its creator. */
function entersAgain(
  agent: AgentRecord,
  { runtime, agents, options }: Parts & { readonly options: OrganizationOptions },
): boolean {
  const { agentId: id, roleId, createdBy } = agent;
  try {
    runtime.createAgent({ id, roleId, createdBy });
  } catch (error) {
    leftOut(error, agent, options);
    return false;
  }
  agents.enter(agent);
  return true;
}

function leftOut(error: unknown, { agentId }: AgentRecord, { logger, onError }: OrganizationOptions): void {
  quietly(logger).error({ agentId, error }, 'agent_not_found_again');
  onError?.(error, agentId);
}
