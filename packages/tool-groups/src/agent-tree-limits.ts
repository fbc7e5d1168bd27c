import { LONGEST_TIMER_MS } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';

/** What bounds an organisation. */
export interface AgentTreeLimits {
  /** Agents at the same time, without the root agent, those still ending included. Default 100. */
  readonly maxAgents: number;
  /** Levels of agents below the root agent. Default 8. */
  readonly maxDepth: number;
  /** How long one call of the organisation may take, in milliseconds. Default 60000. */
  readonly timeoutMs: number;
}

const LIMIT = is.count(1, LONGEST_TIMER_MS);
const TREE_LIMITS: OptionRules<AgentTreeLimits> = { maxAgents: LIMIT, maxDepth: LIMIT, timeoutMs: LIMIT };

/** The bounds as given, the others as by default. @throws ValidationError for another key, or no whole number from 1 */
export function agentTreeLimits(given: Partial<AgentTreeLimits>): AgentTreeLimits {
  checkOptions('limits', given, TREE_LIMITS, 'limits');
  const { maxAgents = 100, maxDepth = 8, timeoutMs = 60_000 } = given;
  return { maxAgents, maxDepth, timeoutMs };
}
