import type { Dialect } from './dialect.ts';
import type { Property } from './recursion.ts';
import type { References } from './references.ts';
import type { SchemaNode } from './schema-node.ts';

/** The position of a part of a schema. */
export interface Place {
  /** JSON pointer into the original schema. */
  readonly pointer: string;
  readonly depth: number;
  /** The definition it belongs to; empty for the root. */
  readonly definition: string;
  readonly property?: Property | 'optional';
}
/** Converts the parts of one schema. */
export interface Rewriter {
  readonly dialect: Dialect;
  readonly references: References;
  /** Converts one part of the schema. @throws ValidationError */
  node(schema: unknown, place: Place): SchemaNode;
  /** The error for a keyword that the dialect cannot express. */
  refusal(place: Place, keyword: string, reason: string): Error;
}
