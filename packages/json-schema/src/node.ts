import type { Found } from './found.ts';
import type { LinearPattern } from './linear-pattern.ts';

/** A JSON Schema with its references; a boolean is one too. */
export type AnySchema = boolean | SchemaObject;
export type SchemaObject = Readonly<Record<string, unknown>>;

/** State of one validation. */
export interface Run {
  /** Number of references being followed at once. */
  depth: number;
  /** Number of references followed in all. */
  steps: number;
  /** The entered schema resources, outermost first; kept only for `$dynamicRef`. */
  readonly scope: unknown[];
  /** Cached results of branches and references for a value; kept only if they may be needed again. */
  readonly memory: Map<Valid, Map<unknown, boolean>>;
  /** The steps of all patterns, over the runs of one check. */
  readonly patterns: { steps: number };
}

export type Valid = (value: unknown, run: Run) => boolean;
/** Reports every fault of the value. */
export type Collect = (value: unknown, path: string, run: Run, found: Found) => void;
/** Marks the parts of a value that it has judged. */
export type Mark = (value: unknown, run: Run, seen: Evaluated) => void;
/** The value with its missing defaults; the same value when none is missing. */
export type Fill = (value: unknown, run: Run) => unknown;

/** A compiled schema. */
export interface Node {
  valid: Valid;
  collect: Collect;
  mark?: Mark;
  fill?: Fill;
}

/** The kinds of values that keywords apply to. */
export type Kind = 'string' | 'number' | 'object' | 'array';

/** A compiled keyword, or several that belong together. One with a kind is called only with values of that kind. */
export interface Rule extends Node {
  readonly kind?: Kind;
}

/** The judged properties and items. */
export interface Evaluated {
  allProperties: boolean;
  readonly properties: Set<string>;
  allItems: boolean;
  /** Number of judged items from the start. */
  firstItems: number;
  readonly items: Set<number>;
}

/** Methods of the compiler for rules. */
export interface Compiling {
  /** The schema below this one, compiled. */
  child(schema: AnySchema): Node;
  /** The target of a reference; it may be compiled later. */
  target(reference: string, from: SchemaObject): Node;
  /** The target of a dynamic reference, which may depend on the path to it. */
  dynamicTarget(reference: string, from: SchemaObject): Node;
  /** The compiled pattern of that source; undefined for one that cannot be evaluated here. */
  pattern(source: string): LinearPattern | undefined;
  /** The default of a property, if it is valid. */
  fallback(schema: SchemaObject): unknown;
  /** Caches a check whose result may be needed twice. */
  remembered(valid: Valid): Valid;
  /** Caches a check once a validation has followed many references. */
  rememberedLate(valid: Valid): Valid;
}

/** Begins the facts that one reading of a value keeps. */
export function newRun(patterns: Run['patterns'] = { steps: 0 }): Run {
  return { depth: 0, steps: 0, scope: [], memory: new Map(), patterns };
}
