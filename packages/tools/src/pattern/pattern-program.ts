import { ValidationError } from '@x/core';
import { setTest } from './character-set.ts';
import type { Assertion, Pattern, PatternNode } from './pattern-node.ts';

/** One step of a program; numbers are places in it. */
export type Instruction =
  | { readonly type: 'set'; readonly test: (codePoint: number) => boolean; readonly next: number }
  | { readonly type: 'assert'; readonly what: Assertion; readonly next: number }
  | { readonly type: 'split'; readonly nexts: readonly number[] }
  | { readonly type: 'match' };
export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

const MAX_INSTRUCTIONS = 2_000;

/** A pattern as a non-deterministic automaton (Thompson, 1968). @throws ValidationError when its repetitions make it too large */
export function patternProgram({ node, ignoreCase }: Pattern): PatternProgram {
  const instructions: Instruction[] = [{ type: 'match' }];
  const add = (instruction: Instruction): number => {
    if (instructions.length >= MAX_INSTRUCTIONS) {
      throw new ValidationError('The pattern is not taken: its repetitions make it too large', 'pattern');
    }
    return instructions.push(instruction) - 1;
  };
  // Built from the end: every step is told what comes after it.
  const build = (part: PatternNode, next: number): number => {
    switch (part.type) {
      case 'set':
        return add({ type: 'set', test: setTest(part.set, ignoreCase), next });
      case 'assert':
        return add({ type: 'assert', what: part.what, next });
      case 'sequence':
        return part.parts.reduceRight((after, each) => build(each, after), next);
      case 'choice':
        return add({ type: 'split', nexts: part.options.map((option) => build(option, next)) });
      case 'repeat':
        return buildRepeat(part, next);
    }
  };
  const buildRepeat = ({ part, least, most }: PatternNode & { type: 'repeat' }, next: number): number => {
    let after = next;
    if (most === Infinity) {
      const nexts = [next];
      after = add({ type: 'split', nexts });
      nexts.push(build(part, after));
    } else {
      for (let count = least; count < most; count += 1)
        after = add({ type: 'split', nexts: [build(part, after), next] });
    }
    for (let count = 0; count < least; count += 1) after = build(part, after);
    return after;
  };
  return { start: build(node, 0), instructions };
}
