import { ValidationError } from '@x/core';
import type { SetItem } from './character-set.ts';
import { escapeAt } from './pattern-escape.ts';
import { type Assertion, literalNode, type Pattern, type PatternNode } from './pattern-node.ts';

const MAX_LENGTH = 100_000;
const MAX_DEPTH = 100;
const MAX_REPEATS = 1_000;
const DOT: PatternNode = { type: 'set', set: { items: [], negated: true } };
const ASSERTIONS: Readonly<Record<string, Assertion>> = { '^': 'lineStart', $: 'lineEnd' };
const ESCAPED_ASSERTIONS: Readonly<Record<string, Assertion>> = { '\\b': 'wordEdge', '\\B': 'noWordEdge' };

/**
 * Parses the part of regular expressions that ripgrep and JavaScript share and that can be matched in linear time: sets, groups,
 * alternatives, repetition, `^ $ \b \B`, Unicode classes. A `{` that begins no repetition is a plain character.
 * @throws ValidationError that says what is not taken: look-around, back references, flags other than a leading `(?i)`
 */
export function parsePattern(source: string, { ignoreCase = false }: { readonly ignoreCase?: boolean } = {}): Pattern {
  if (source.length > MAX_LENGTH) throw refusedPattern(`it has more than ${MAX_LENGTH} characters`);
  const folded = source.startsWith('(?i)');
  const parser = new PatternParser(folded ? source.slice(4) : source);
  return { node: parser.parse(), ignoreCase: ignoreCase || folded };
}

class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw refusedPattern('a ) closes no group; write \\) for the character');
    return node;
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#skip('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#peek())) parts.push(this.#repeated(this.#atom()));
    return parts.length === 1 ? parts[0]! : { type: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const match = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})/.exec(this.#source.slice(this.#at, this.#at + 16));
    if (!match) return part;
    this.#at += match[0].length;
    this.#skip('?'); // lazy or not decides how much is matched, never whether
    if (/^(?:[*+?]|\{\d+(?:,\d*)?\})/.test(this.#source.slice(this.#at, this.#at + 16))) {
      throw refusedPattern('a repetition follows another one; put the first in a group');
    }
    return { type: 'repeat', part, ...boundsOf(match) };
  }

  #atom(): PatternNode {
    const character = this.#peek();
    if (character === '(') return this.#group();
    if (character === '[') return this.#class();
    const assertion = ASSERTIONS[character] ?? ESCAPED_ASSERTIONS[this.#source.slice(this.#at, this.#at + 2)];
    if (assertion) {
      this.#at += character === '\\' ? 2 : 1;
      return { type: 'assert', what: assertion };
    }
    if (character === '\\') return { type: 'set', set: { items: [this.#escape()], negated: false } };
    if (/[*+?]/.test(character))
      throw refusedPattern(`there is nothing before ${character} to repeat; write \\${character} for the character`);
    this.#at += character.length;
    return character === '.' ? DOT : literalNode(character.codePointAt(0)!);
  }

  #group(): PatternNode {
    const opening = /^\((?:\?:|\?P?<[A-Za-z_]\w*>|(?!\?))/.exec(this.#source.slice(this.#at, this.#at + 64))?.[0];
    if (opening === undefined) {
      throw refusedPattern(
        'of the (?...) groups only (?:...), (?<name>...) and a leading (?i) are taken; look-around is not',
      );
    }
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw refusedPattern(`groups are nested more than ${MAX_DEPTH} deep`);
    this.#at += opening.length;
    const node = this.#choice();
    if (!this.#skip(')')) throw refusedPattern('a group is not closed; write \\( for the character');
    this.#depth -= 1;
    return node;
  }

  #class(): PatternNode {
    this.#at += 1;
    const negated = this.#skip('^');
    const items: SetItem[] = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#at >= this.#source.length) throw refusedPattern('a [ is not closed; write \\[ for the character');
      if (/^(?:\[:|&&|--|~~)/.test(this.#source.slice(this.#at, this.#at + 2))) {
        throw refusedPattern('[: :], && and -- are not taken inside [...]; escape the characters');
      }
      items.push(this.#range());
    }
    this.#at += 1;
    return { type: 'set', set: { items, negated } };
  }

  #range(): SetItem {
    const low = this.#member();
    const next = this.#source[this.#at + 1];
    if (this.#peek() !== '-' || next === undefined || next === ']') return low;
    this.#at += 1;
    const high = this.#member();
    if (low.type !== 'range' || high.type !== 'range')
      throw refusedPattern('a class such as \\d cannot be the end of a range');
    if (low.low > high.high) throw refusedPattern('a range in [...] runs backwards');
    return { type: 'range', low: low.low, high: high.high };
  }

  #member(): SetItem {
    const character = this.#peek();
    if (character === '\\') return this.#source[this.#at + 1] === 'b' ? this.#backspace() : this.#escape();
    this.#at += character.length;
    const point = character.codePointAt(0) ?? 0;
    return { type: 'range', low: point, high: point };
  }

  #backspace(): SetItem {
    this.#at += 2;
    return { type: 'range', low: 8, high: 8 };
  }

  #escape(): SetItem {
    const { item, length } = escapeAt(this.#source, this.#at);
    this.#at += length;
    return item;
  }

  /** The next whole character; empty at the end. */
  #peek(): string {
    const point = this.#source.codePointAt(this.#at);
    return point === undefined ? '' : String.fromCodePoint(point);
  }

  #skip(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }
}

function boundsOf([text, least, comma, most]: readonly (string | undefined)[]): { least: number; most: number } {
  if (text === '*') return { least: 0, most: Infinity };
  if (text === '+') return { least: 1, most: Infinity };
  if (text === '?') return { least: 0, most: 1 };
  const bounds = { least: Number(least), most: comma ? (most ? Number(most) : Infinity) : Number(least) };
  if (bounds.most < bounds.least) throw refusedPattern(`in ${text} the bounds are the wrong way round`);
  if (bounds.least > MAX_REPEATS || (bounds.most > MAX_REPEATS && bounds.most !== Infinity)) {
    throw refusedPattern(`${text} asks for more than ${MAX_REPEATS} repetitions`);
  }
  return bounds;
}

function refusedPattern(why: string): ValidationError {
  return new ValidationError(`The pattern is not taken: ${why}`, 'pattern');
}
