import type { AgentInfo } from './org-actions.ts';

/** One agent in the tree of creators. */
export interface AgentNode {
  readonly info: AgentInfo;
  /** 0 for the root agent. */
  readonly depth: number;
  /** Absent for the root agent. */
  readonly creator?: AgentNode;
  readonly children: Set<AgentNode>;
  /** Aborted when its end begins: from then on it can do nothing. */
  readonly life: AbortController;
  /** True when the organisation runs it; resolves once that is known. Never rejects. */
  spawned: Promise<boolean>;
  /** The end under way: resolves with the ids that ended, children first. */
  ending?: Promise<readonly string[]>;
}

/** True when `ancestor` created the agent, directly or through agents it created. */
export function isBelow(node: AgentNode, ancestor: AgentNode): boolean {
  for (let above = node.creator; above !== undefined; above = above.creator) {
    if (above === ancestor) return true;
  }
  return false;
}

/** False once its end has begun. */
export function isLiving(node: AgentNode): boolean {
  return !node.life.signal.aborted;
}
