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
