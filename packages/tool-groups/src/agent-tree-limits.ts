import { checkKeys, ValidationError } from '@x/core';
import { LONGEST_TIMER_MS } from './bounded-call.ts';

/** What bounds an organisation. */
export interface AgentTreeLimits {
  /** Agents at the same time, without the root agent, those still ending included. Default 100. */
  readonly maxAgents: number;
  /** Levels of agents below the root agent. Default 8. */
  readonly maxDepth: number;
  /** How long one call of the organisation may take, in milliseconds. Default 60000. */
  readonly timeoutMs: number;
}

const DEFAULTS: AgentTreeLimits = { maxAgents: 100, maxDepth: 8, timeoutMs: 60_000 };

/** The bounds as given, the others as by default. @throws ValidationError for another key, or no whole number from 1 */
export function agentTreeLimits(given: Partial<AgentTreeLimits>): AgentTreeLimits {
  checkKeys('The bounds of an organisation', given, Object.keys(DEFAULTS));
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= LONGEST_TIMER_MS)) continue;
    throw new ValidationError(`${key} must be a whole number from 1 to ${LONGEST_TIMER_MS}`, key);
  }
  return {
    maxAgents: given.maxAgents ?? DEFAULTS.maxAgents,
    maxDepth: given.maxDepth ?? DEFAULTS.maxDepth,
    timeoutMs: given.timeoutMs ?? DEFAULTS.timeoutMs,
  };
}
