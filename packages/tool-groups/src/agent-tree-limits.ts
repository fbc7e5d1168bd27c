import { LONGEST_TIMER_MS } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';

/** Limits of an organisation. */
export interface AgentTreeLimits {
  /** Agents at the same time, without the root agent, including those still ending. Default 100. */
  readonly maxAgents: number;
  /** Levels of agents below the root agent. Default 8. */
  readonly maxDepth: number;
  /** Milliseconds that one call of the organisation may take. Default 60000. */
  readonly timeoutMs: number;
}

const LIMIT = is.count(1, LONGEST_TIMER_MS);
const TREE_LIMITS: OptionRules<AgentTreeLimits> = { maxAgents: LIMIT, maxDepth: LIMIT, timeoutMs: LIMIT };

/**
 * The given limits, with defaults for the others. @throws ValidationError for an unknown key, or a value that is not a whole number from 1
 */
export function agentTreeLimits(given: Partial<AgentTreeLimits>): AgentTreeLimits {
  checkOptions('limits', given, TREE_LIMITS, 'limits');
  const { maxAgents = 100, maxDepth = 8, timeoutMs = 60_000 } = given;
  return { maxAgents, maxDepth, timeoutMs };
}
