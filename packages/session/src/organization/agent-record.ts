import { isAgentError } from '@x/core';
import type { SessionStore } from '../log/session-store.ts';
import { type AppendOnce, withdrawQuestions } from '../questions/withdraw-questions.ts';
import { appendOnce, recordAsked } from '../run/title-and-metadata.ts';

/** An agent in the store: its session, and its identity in that session's metadata. */
export interface AgentRecord {
  readonly sessionId: string;
  readonly agentId: string;
  readonly roleId: string;
  readonly createdBy: string;
}

const PAGE = 100;
const ENDED = 'ended';

/** The metadata of an agent's session. */
export function agentMetadata(
  organizationId: string,
  { agentId, roleId, createdBy }: Omit<AgentRecord, 'sessionId'>,
): Record<string, string> {
  return { organization: organizationId, agent: agentId, role: roleId, creator: createdBy };
}

/** The metadata of a terminated agent, which is not found again. */
export function endedMetadata(organizationId: string, agent: Omit<AgentRecord, 'sessionId'>): Record<string, string> {
  return { ...agentMetadata(organizationId, agent), [ENDED]: 'true' };
}

/** The agents of an organisation that were not terminated, each after its creator. */
export async function findAgents(store: SessionStore, organizationId: string): Promise<readonly AgentRecord[]> {
  const found = new Map<string, AgentRecord>();
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { sessionId, metadata } of page.sessions) {
      const agent = metadata && agentIn(organizationId, sessionId, metadata);
      if (agent) found.set(agent.agentId, agent);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return creatorsFirst(found);
}

function agentIn(
  organizationId: string,
  sessionId: string,
  metadata: Readonly<Record<string, string>>,
): AgentRecord | undefined {
  const { organization, agent: agentId, role: roleId, creator: createdBy } = metadata;
  if (organization !== organizationId || Object.hasOwn(metadata, ENDED)) return undefined;
  if (agentId === undefined || roleId === undefined || createdBy === undefined) return undefined;
  return { sessionId, agentId, roleId, createdBy };
}

/** Leaves out agents whose creator is gone. */
function creatorsFirst(found: ReadonlyMap<string, AgentRecord>): readonly AgentRecord[] {
  const ordered = new Map<string, AgentRecord>();
  let before = -1;
  while (ordered.size > before) {
    before = ordered.size;
    for (const [agentId, agent] of found) {
      const { createdBy } = agent;
      if (createdBy === agentId || ordered.has(createdBy)) ordered.set(agentId, agent);
    }
  }
  return [...ordered.values()];
}

/** Withdraws what the agent has asked, and notes in the session's metadata that it has ended. One that is gone needs no note. */
export async function markEnded(
  store: SessionStore,
  sessionId: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    const append: AppendOnce = async (bodiesFor) => void (await appendOnce(store, sessionId, bodiesFor));
    await withdrawQuestions(store, sessionId, { append });
    await recordAsked(store, sessionId, { metadata });
  } catch (error) {
    if (!isAgentError(error) || error.code !== 'SESSION_NOT_FOUND') throw error;
  }
}
