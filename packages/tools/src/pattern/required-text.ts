import type { Pattern, PatternNode } from './pattern-node.ts';

/** The longest text that every matching line holds, as far as that is easily seen; may be empty. */
export function requiredText({ node, ignoreCase }: Pattern): string {
  if (ignoreCase) return '';
  const parts = node.type === 'sequence' ? node.parts : [node];
  let longest = '';
  let run = '';
  for (const part of parts) {
    run = literalOf(part) === undefined ? '' : run + literalOf(part);
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

function literalOf(node: PatternNode): string | undefined {
  if (node.type !== 'set' || node.set.negated || node.set.items.length !== 1) return undefined;
  const item = node.set.items[0]!;
  return item.type === 'range' && item.low === item.high ? String.fromCodePoint(item.low) : undefined;
}
