import { stem } from './stem.ts';
import { synonymsOf } from './synonyms.ts';
import { isUnspaced } from './words.ts';

/** The terms of an index. */
export interface KnownTerms {
  has(term: string): boolean;
  /** Terms in the order of code units, from `start` on. */
  from(start: string): Iterable<string>;
}

/** A term that a word of a query may stand for. */
export interface Variant {
  readonly term: string;
  /** Its nearness: 1 for the word itself and its forms. */
  readonly nearness: number;
}

/** Factors of words other than the word itself; for longer and shorter ones, times the share that is equal. */
const OF_A_LONGER = 0.6;
const OF_A_SHORTER = 0.5;
const OF_A_PART = 0.8;
const OF_A_SYNONYM = 0.7;
const OF_A_MISTYPED = 0.6;
const OF_A_PAIR = 0.3;
const MOST_LONGER = 16;
const SHORTEST_MISTYPED = 4;
const MOST_PARTS = 4;
/** A longer word stands for itself only: the cost of its parts grows with the square of its length. */
const LONGEST_VARIED = 24;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * The meanings of a query's word, each with its terms, the nearest first: its forms, its synonyms (`remove` and `delete`), and words that
 * begin with it or that it begins with (`repo` and `repository`). An unknown word may, if `mayGuess`, be a compound of words
 * (`readfile`), or have one wrong letter (`cancle`).
 */
export function meaningsOf(word: string, terms: KnownTerms, mayGuess = true): Variant[][] {
  const root = stem(word);
  const itself = known([root], terms, 1);
  if (isUnspaced(word)) return apart(itself.length > 0 ? itself : known(Array.from(word), terms, OF_A_PAIR));
  if (word.length > LONGEST_VARIED) return apart(itself);
  const begun = [...itself, ...known(synonymsOf(root), terms, OF_A_SYNONYM), ...longer(word, root, terms)];
  const parts = begun.length > 0 || !mayGuess ? [] : compound(word, terms);
  if (parts.length > 0) return apart(parts);
  const near = [...begun, ...shorter(root, terms)].toSorted((one, other) => other.nearness - one.nearness);
  const variants = near.length > 0 || !mayGuess ? near : misspelt(root, terms);
  return variants.length > 0 ? [variants] : [];
}

function apart(variants: readonly Variant[]): Variant[][] {
  return variants.map((variant) => [variant]);
}

function longer(word: string, root: string, terms: KnownTerms): Variant[] {
  // A short stem is the beginning of too many other words: `fil` of `file`.
  const start = root.length >= 5 ? root : word;
  if (start.length < 3) return [];
  const shortest: string[] = [];
  for (const term of terms.from(start)) {
    if (!term.startsWith(start)) break;
    if (shortest.length === MOST_LONGER && term.length >= shortest[MOST_LONGER - 1]!.length) continue; // mostly so
    if (term === root) continue;
    const place = shortest.findIndex((other) => term.length < other.length);
    shortest.splice(place === -1 ? shortest.length : place, 0, term);
    if (shortest.length > MOST_LONGER) shortest.pop();
  }
  return shortest.map((term) => ({ term, nearness: (OF_A_LONGER * start.length) / term.length }));
}

function shorter(root: string, terms: KnownTerms): Variant[] {
  const found: Variant[] = [];
  for (let length = Math.max(4, Math.ceil(root.length / 3)); length < root.length; length++) {
    const term = root.slice(0, length);
    if (terms.has(term)) found.push({ term, nearness: (OF_A_SHORTER * length) / root.length });
  }
  return found;
}

/** Damerau 1964: one letter too many, missing, wrong, or two exchanged. */
function misspelt(root: string, terms: KnownTerms): Variant[] {
  if (root.length < SHORTEST_MISTYPED) return [];
  const near = new Set<string>();
  for (let at = 0; at <= root.length; at++) {
    const [start, end] = [root.slice(0, at), root.slice(at)];
    if (end.length > 1) near.add(`${start}${end[1]}${end[0]}${end.slice(2)}`);
    if (end.length > 0) near.add(`${start}${end.slice(1)}`);
    for (const letter of LETTERS) {
      near.add(`${start}${letter}${end}`);
      if (end.length > 0) near.add(`${start}${letter}${end.slice(1)}`);
    }
  }
  return known(near, terms, OF_A_MISTYPED);
}

/** The fewest known words that form this one. */
function compound(word: string, terms: KnownTerms): Variant[] {
  let reached = new Map<number, readonly string[]>([[0, []]]);
  for (let pieces = 0; pieces < MOST_PARTS && reached.size > 0; pieces++) {
    const next = new Map<number, readonly string[]>();
    for (const [start, before] of reached) {
      for (let end = start + 2; end <= word.length; end++) {
        const root = stem(word.slice(start, end));
        if (terms.has(root) && !next.has(end)) next.set(end, [...before, root]);
      }
    }
    const whole = next.get(word.length);
    if (whole) return known(new Set(whole), terms, OF_A_PART);
    reached = next;
  }
  return [];
}

function known(words: Iterable<string>, terms: KnownTerms, nearness: number): Variant[] {
  return Array.from(words).flatMap((term) => (terms.has(term) ? { term, nearness } : []));
}
