import type { Decision } from './types.ts';

/** Replaces an absent `canUseTool` when nothing else has decided: readonly tools and the host's own run, nothing else. */
export function standardAnswer({ kind, isOwn }: { kind: string; isOwn: boolean }): Decision | undefined {
  if (kind === 'readonly') return { decision: 'allow', step: 'default', reason: 'readonly tools run in every mode' };
  if (isOwn) return { decision: 'allow', step: 'default', reason: 'the host brought this tool itself' };
  return undefined;
}
