import { isBroken, isWord } from './character-set.ts';
import type { Assertion, Pattern } from './pattern-node.ts';
import { type Instruction, type PatternProgram, patternProgram } from './pattern-program.ts';

/** What stands beside a place in a line. */
type Beside = 'edge' | 'word' | 'other' | 'broken';

/** Where the automaton may be before a character; what comes next is remembered. */
interface State {
  readonly places: readonly number[];
  readonly before: Beside;
  /** By code point; those of ASCII apart, because an array is faster. */
  readonly ascii: (Next | undefined)[];
  readonly others: Map<number, Next>;
  matchesAtEnd?: boolean;
}

type Next = State | typeof MATCHED;

const MATCHED = Symbol('matched');
const ASCII = 128;
const MAX_STATES = 4_000;

/** Says whether a pattern matches anywhere in a line, in time proportional to its length, whatever the pattern. */
export class LineMatcher {
  readonly #program: PatternProgram;
  readonly #states = new Map<string, State>();
  #first: State;
  #work = 0;

  /** @throws ValidationError when the pattern is too large */
  constructor(pattern: Pattern) {
    this.#program = patternProgram(pattern);
    this.#first = this.#stateOf([], 'edge');
  }

  /** How many places of the program were visited so far: what matching costs beyond walking over the text. */
  get work(): number {
    return this.#work;
  }

  /** Holds the pattern against `text` from `from` up to `to`, as a line of its own. */
  matches(text: string, from = 0, to: number = text.length): boolean {
    let state = this.#first;
    for (let at = from; at < to; ) {
      const unit = text.charCodeAt(at);
      const point = unit < ASCII ? unit : text.codePointAt(at)!;
      const next = (point < ASCII ? state.ascii[point] : state.others.get(point)) ?? this.#step(state, point);
      if (next === MATCHED) return true;
      state = next;
      at += point > 0xffff ? 2 : 1;
    }
    state.matchesAtEnd ??= this.#reached(state, 'edge').matched;
    return state.matchesAtEnd;
  }

  #step(state: State, point: number): Next {
    const next = this.#nextOf(state, point);
    if (point < ASCII) state.ascii[point] = next;
    else state.others.set(point, next);
    return next;
  }

  #nextOf(state: State, point: number): Next {
    const after = besideOf(point);
    const { places, matched } = this.#reached(state, after);
    if (matched) return MATCHED;
    const nexts = new Set(places.flatMap((instruction) => (instruction.test(point) ? [instruction.next] : [])));
    return this.#stateOf(Array.from(nexts).sort(ascending), after);
  }

  /** Follows everything that takes no character; a match may begin at any place. */
  #reached({ places, before }: State, after: Beside): { places: (Instruction & { type: 'set' })[]; matched: boolean } {
    const { instructions, start } = this.#program;
    const seen = new Set<number>();
    const waiting = [...places, start];
    const sets: (Instruction & { type: 'set' })[] = [];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      if (seen.has(place)) continue;
      seen.add(place);
      this.#work += 1;
      const instruction = instructions[place]!;
      if (instruction.type === 'match') return { places: [], matched: true };
      if (instruction.type === 'set') sets.push(instruction);
      else if (instruction.type === 'split') waiting.push(...instruction.nexts);
      else if (holds(instruction.what, before, after)) waiting.push(instruction.next);
    }
    return { places: sets, matched: false };
  }

  #stateOf(places: readonly number[], before: Beside): State {
    const key = `${before} ${places.join(' ')}`;
    const known = this.#states.get(key);
    if (known) return known;
    // A pattern can have more states than memory: forgetting them costs time, never an answer.
    if (this.#states.size >= MAX_STATES) this.#forget();
    const state: State = { places, before, ascii: Array.from({ length: ASCII }), others: new Map() };
    this.#states.set(key, state);
    return state;
  }

  #forget(): void {
    for (const { ascii, others } of this.#states.values()) {
      ascii.fill(undefined);
      others.clear();
    }
    this.#states.clear();
    this.#first = this.#stateOf([], 'edge');
  }
}

function ascending(one: number, other: number): number {
  return one - other;
}

function besideOf(point: number): Beside {
  if (isBroken(point)) return 'broken';
  return isWord(point) ? 'word' : 'other';
}

function holds(what: Assertion, before: Beside, after: Beside): boolean {
  if (what === 'lineStart') return before === 'edge';
  if (what === 'lineEnd') return after === 'edge';
  if (before === 'broken' || after === 'broken') return false;
  return ((before === 'word') !== (after === 'word')) === (what === 'wordEdge');
}
