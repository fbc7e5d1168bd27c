import type { CharacterSet, SetItem } from './character-set.ts';
import type { PatternNode } from './pattern-node.ts';

/**
 * The pattern in the words of ripgrep, so that it cannot be read in another way there. Assertions are left out: what ends a line
 * and what a word is beside a broken byte is seen differently, and without them ripgrep finds at least as much.
 */
export function ripgrepPattern(node: PatternNode): string {
  switch (node.type) {
    case 'set':
      return setText(node.set);
    case 'assert':
      return '';
    case 'sequence':
      return node.parts.map(ripgrepPattern).join('');
    case 'choice':
      return `(?:${node.options.map(ripgrepPattern).join('|')})`;
    case 'repeat':
      return `(?:${ripgrepPattern(node.part)}){${node.least},${node.most === Infinity ? '' : node.most}}`;
  }
}

function setText({ items, negated }: CharacterSet): string {
  if (items.length === 0) return '.';
  const only = items.length === 1 && !negated ? items[0]! : undefined;
  if (only?.type === 'range' && only.low === only.high) return pointText(only.low);
  return `[${negated ? '^' : ''}${items.map(itemText).join('')}]`;
}

function itemText(item: SetItem): string {
  if (item.type === 'perl') return `\\${item.negated ? item.name.toUpperCase() : item.name}`;
  if (item.type === 'category') return `\\${item.negated ? 'P' : 'p'}{${item.name}}`;
  return item.low === item.high ? pointText(item.low) : `${pointText(item.low)}-${pointText(item.high)}`;
}

function pointText(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /^[A-Za-z0-9_]$/.test(character) ? character : `\\x{${codePoint.toString(16)}}`;
}
