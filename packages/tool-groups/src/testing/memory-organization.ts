import { AbortError, AgentError } from '@x/core';
import { checkKeys } from '@x/core/internal';
import type { AgentMail, Organization, SpawnedAgent } from '../organization.ts';
import { ROOT_AGENT_ID } from '../root-agent.ts';

/** An organisation whose agents do nothing: what reaches them is kept for a test to look at. */
export interface MemoryOrganization extends Organization {
  /** The agents that are there now, without the root agent, in the order of their start. */
  agents(): readonly SpawnedAgent[];
  /** The messages that reached the agent, also one that has ended. */
  mailOf(agentId: string): readonly AgentMail[];
  /** What was asked, in order: `spawn <id>`, `send <id>`, `terminate <id>`. */
  readonly asked: readonly string[];
}

/** How a `memoryOrganization` is made. */
export interface MemoryOrganizationOptions {
  /**
   * Called before each step is done; one that throws makes the step fail with nothing done, one that waits makes it late. The
   * signal is that of the call: it is looked at once more afterwards.
   */
  readonly before?: (
    step: 'spawn' | 'send' | 'terminate',
    agentId: string,
    signal: AbortSignal,
  ) => void | Promise<void>;
}

/** @throws ValidationError for an unknown option */
export function memoryOrganization(options: MemoryOrganizationOptions = {}): MemoryOrganization {
  checkKeys('The options of memoryOrganization', options, ['before']);
  const agents = new Map<string, SpawnedAgent>();
  const mail = new Map<string, AgentMail[]>();
  const asked: string[] = [];
  const begin = async (step: 'spawn' | 'send' | 'terminate', agentId: string, signal: AbortSignal) => {
    asked.push(`${step} ${agentId}`);
    if (signal.aborted) throw new AbortError();
    await options.before?.(step, agentId, signal);
    if (signal.aborted) throw new AbortError();
  };
  return {
    asked,
    agents: () => [...agents.values()],
    mailOf: (agentId) => [...(mail.get(agentId) ?? [])],
    async spawn(agent, { signal }) {
      await begin('spawn', agent.id, signal);
      if (agents.has(agent.id) || agent.id === ROOT_AGENT_ID) throw refusal(`There is an agent ${agent.id} already`);
      agents.set(agent.id, agent);
    },
    async send(one, { signal }) {
      await begin('send', one.to, signal);
      if (!agents.has(one.to) && one.to !== ROOT_AGENT_ID) throw refusal(`There is no agent ${one.to}`);
      mail.set(one.to, [...(mail.get(one.to) ?? []), one]);
    },
    async terminate(agentId, { signal }) {
      await begin('terminate', agentId, signal);
      agents.delete(agentId);
    },
  };
}

function refusal(message: string): AgentError {
  return new AgentError(message, { code: 'ORGANIZATION_REFUSED' });
}
