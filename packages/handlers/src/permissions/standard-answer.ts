import type { Decision } from './types.ts';

/** Stands in for an absent `canUseTool` where nothing spoke of the call: readonly tools and the host's own run, nothing else. */
export function standardAnswer({ kind, isOwn }: { kind: string; isOwn: boolean }): Decision | undefined {
  if (kind === 'readonly') return { decision: 'allow', step: 'default', reason: 'readonly tools run in every mode' };
  if (isOwn) return { decision: 'allow', step: 'default', reason: 'the host brought this tool itself' };
  return undefined;
}
