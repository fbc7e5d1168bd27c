import type { JsonSchema } from '@x/json-schema';
import type { HttpContext } from '../answers/http-env.ts';

/** A request whose query and body fit the schemas of its route. */
export interface RouteRequest {
  readonly context: HttpContext;
  readonly query: unknown;
  readonly body: unknown;
}

export interface DescribedAnswer {
  readonly description: string;
  /** Absent for an answer without a body. */
  readonly schema?: JsonSchema;
  /** Names and descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One route: what is checked, answered and described is written once. */
export interface Route {
  readonly method: 'get' | 'post';
  /** In the form of hono: `/v1/tools/:name`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Answered without a token. */
  readonly isOpen?: true;
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  /** Looks at the body first, for a fault that has words of its own. @throws ValidationError */
  readonly checkBody?: (body: unknown) => void;
  /** Names and descriptions of what the path holds. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Answers of this route alone, by status or `default`. */
  readonly answers: Readonly<Record<string, DescribedAnswer>>;
  readonly handle: (request: RouteRequest) => Response | Promise<Response>;
}
