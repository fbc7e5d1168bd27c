import { parseSync } from 'oxc-parser';
import type { SourceText } from './source-text.ts';

/** A node of the parser's tree, as far as the rules look at it. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

/** The program of a file. @throws when it does not parse */
export function parse(file: SourceText): SyntaxNode {
  const { program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path} does not parse: ${errors[0]?.message}`);
  // The parser's union of node types is walked by name only.
  return program as unknown as SyntaxNode;
}

/** Calls `visit` for every node below `node`, with its parents, the nearest first. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parents: readonly SyntaxNode[]) => void,
  parents: readonly SyntaxNode[] = [],
): void {
  visit(node, parents);
  const above = [node, ...parents];
  for (const child of Object.values(node)) {
    for (const item of Array.isArray(child) ? child : [child]) {
      if (isNode(item)) walk(item, visit, above);
    }
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** `write` for `run.journal.write`, `spawn` for `spawn`. */
export function lastName(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node['name']);
  if (node.type === 'MemberExpression') return lastName(node['property']);
  if (node.type === 'ParenthesizedExpression' || node.type === 'TSNonNullExpression')
    return lastName(node['expression']);
  return undefined;
}

/** The text of a string or of a template's beginning. */
export function leadingText(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral') return undefined;
  const [first] = node['quasis'] as readonly { readonly value: { readonly raw: string } }[];
  return first?.value.raw;
}
