import type { Dialect } from './dialect.ts';
import type { Property } from './recursion.ts';
import type { References } from './references.ts';
import type { SchemaNode } from './schema-node.ts';

/** Where a part of a schema stands. */
export interface Place {
  /** JSON pointer into the schema given. */
  readonly pointer: string;
  readonly depth: number;
  /** The definition it belongs to; empty for the root. */
  readonly definition: string;
  readonly property?: Property | 'optional';
}
/** What rewrites the parts of one schema. */
export interface Rewriter {
  readonly dialect: Dialect;
  readonly references: References;
  /** One part of the schema, as it is sent. @throws ValidationError */
  node(schema: unknown, place: Place): SchemaNode;
  /** The error for a keyword that the dialect cannot express. */
  refusal(place: Place, keyword: string, reason: string): Error;
}
