import type { CharacterSet } from './character-set.ts';

/** A parsed regular expression. */
export type PatternNode =
  | { readonly type: 'set'; readonly set: CharacterSet }
  | { readonly type: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number }
  | { readonly type: 'assert'; readonly what: Assertion };
export type Assertion = 'lineStart' | 'lineEnd' | 'wordEdge' | 'noWordEdge';

/** A parsed regular expression and how it treats capitals. */
export interface Pattern {
  readonly node: PatternNode;
  readonly ignoreCase: boolean;
}

/** The set of one character. */
export function literalNode(codePoint: number): PatternNode {
  return { type: 'set', set: { items: [{ type: 'range', low: codePoint, high: codePoint }], negated: false } };
}

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
