import { AbortError, AgentError } from '@x/core';
import { checkKeys } from '@x/core/internal';
import type { AgentMail, Organization, SpawnedAgent } from '../organization.ts';
import { ROOT_AGENT_ID } from '../root-agent.ts';

/** An organisation whose agents do nothing: tasks and messages are kept for a test to inspect. */
export interface MemoryOrganization extends Organization {
  /** The present agents, without the root agent, in the order of their start. */
  agents(): readonly SpawnedAgent[];
  /** The messages that reached the agent, even one that has ended. */
  mailOf(agentId: string): readonly AgentMail[];
  /** The calls so far, in order: `spawn <id>`, `send <id>`, `terminate <id>`. */
  readonly asked: readonly string[];
}

/** Options of a `memoryOrganization`. */
export interface MemoryOrganizationOptions {
  /**
   * Called before each step; an error makes the step fail with no effect, a wait delays it. The signal is that of the call: it is checked
   * again afterwards.
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
