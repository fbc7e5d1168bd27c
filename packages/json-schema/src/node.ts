import type { Found } from './found.ts';
import type { LinearPattern } from './linear-pattern.ts';

/** A JSON Schema with its references; a boolean is one too. */
export type AnySchema = boolean | SchemaObject;
export type SchemaObject = Readonly<Record<string, unknown>>;

/** What one validation knows of itself. */
export interface Run {
  /** How many references are being followed at once. */
  depth: number;
  /** How many references were followed in all. */
  steps: number;
  /** The schema resources that were entered, outermost first; kept only where `$dynamicRef` asks. */
  readonly scope: unknown[];
  /** What branches and references were found to say of a value; kept only where they may be asked again. */
  readonly memory: Map<Valid, Map<unknown, boolean>>;
  /** What all patterns have cost, over the runs of one check. */
  readonly patterns: { steps: number };
}

export type Valid = (value: unknown, run: Run) => boolean;
/** Tells every fault of the value. */
export type Collect = (value: unknown, path: string, run: Run, found: Found) => void;
/** Notes which parts of a value that it accepts it has judged. */
export type Mark = (value: unknown, run: Run, seen: Evaluated) => void;
/** The value with the defaults that it lacks; the same value when it lacks none. */
export type Fill = (value: unknown, run: Run) => unknown;

/** A compiled schema. */
export interface Node {
  valid: Valid;
  collect: Collect;
  mark?: Mark;
  fill?: Fill;
}

/** The kinds of values that keywords are about. */
export type Kind = 'string' | 'number' | 'object' | 'array';

/** A compiled keyword, or several that belong together. One with a kind is asked only about values of that kind. */
export interface Rule extends Node {
  readonly kind?: Kind;
}

/** Which properties and items were judged. */
export interface Evaluated {
  allProperties: boolean;
  readonly properties: Set<string>;
  allItems: boolean;
  /** How many, from the start. */
  firstItems: number;
  readonly items: Set<number>;
}

/** What rules ask of the compiler. */
export interface Compiling {
  /** The schema below this one, compiled. */
  child(schema: AnySchema): Node;
  /** Where a reference leads; it may be compiled later. */
  target(reference: string, from: SchemaObject): Node;
  /** Where a dynamic reference leads, which may depend on how one came to it. */
  dynamicTarget(reference: string, from: SchemaObject): Node;
  /** The compiled pattern of that source; undefined for one that cannot be judged here. */
  pattern(source: string): LinearPattern | undefined;
  /** The default of a property, where it fits. */
  fallback(schema: SchemaObject): unknown;
  /** A valid that remembers, where answers are asked for twice. */
  remembered(valid: Valid): Valid;
  /** A valid that remembers once a validation has followed many references. */
  rememberedLate(valid: Valid): Valid;
}

/** What one reading of a value knows of itself. */
export function newRun(patterns: Run['patterns'] = { steps: 0 }): Run {
  return { depth: 0, steps: 0, scope: [], memory: new Map(), patterns };
}
