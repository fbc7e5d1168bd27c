import type { JsonSchema } from '@x/json-schema';
import type { HttpContext } from '../answers/http-env.ts';

/** A request whose query and body fit the schemas of its route. */
export interface RouteRequest {
  readonly context: HttpContext;
  readonly query: unknown;
  /** By their names in lower case. */
  readonly headers: unknown;
  readonly body: unknown;
}

export interface DescribedAnswer {
  readonly description: string;
  /** Absent for an answer without a body. */
  readonly schema?: JsonSchema;
  /** Names and descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: `application/json`. */
  readonly type?: 'text/event-stream';
}

/** A part of a path: its description, and the pattern without which it is refused before any use. */
export type PathPart = string | { readonly description: string; readonly pattern: string };

/** One route: what is checked, answered and described is written once. */
export interface Route {
  readonly method: 'get' | 'post' | 'delete';
  /** In the form of hono: `/v1/tools/:name`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Answered without a token. */
  readonly isOpen?: true;
  /** Its group in the document. Default: `tools`. */
  readonly tag?: string;
  readonly query?: JsonSchema;
  /** Headers of its own, in lower case. */
  readonly headers?: JsonSchema;
  readonly body?: JsonSchema;
  /** The name of the body's schema in the document. */
  readonly bodyName?: string;
  /** Looks at the body first, for a fault that has words of its own. @throws ValidationError */
  readonly checkBody?: (body: unknown) => void;
  /** Parts of the path, by name. */
  readonly parameters?: Readonly<Record<string, PathPart>>;
  /** Answers of this route alone, by status or `default`. */
  readonly answers: Readonly<Record<string, DescribedAnswer>>;
  readonly handle: (request: RouteRequest) => Response | Promise<Response>;
}

/** A route without what the document says about it. */
export type ServedRoute = Omit<Route, 'operationId' | 'summary' | 'answers'>;
