import type { JsonSchema } from '@x/json-schema';
import type { Settings } from '../settings/http-options.ts';
import type { DescribedAnswer, Route } from './route.ts';
import { answers, oneOfOurs, requests } from './schemas.ts';

/** A document of OpenAPI 3.1.1. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

const failed = (description: string): DescribedAnswer => ({ description, schema: oneOfOurs('Error') });

/** Describes the routes by what they are checked with. */
function openApiDocument(routes: readonly Route[], settings: Settings): OpenApiDocument {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route, settings) };
  }
  const hasTokens = settings.allTokens.length > 0;
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tools over HTTP',
      version: settings.version,
      description: 'The tools of a registry. Every error has the same form, and its `code` says what it is.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [{ name: 'tools', description: 'Tools of the registry' }],
    paths,
    components: {
      schemas: {
        ...answers,
        SearchToolsRequest: requests.SearchToolsRequest,
        ToolCallRequest: requests.ToolCallRequest,
      },
      ...(hasTokens ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}

function operationOf(route: Route, settings: Settings): object {
  const { operationId, summary, body, parameters = {}, query } = route;
  const name = body === requests.ToolCallRequest ? 'ToolCallRequest' : 'SearchToolsRequest';
  const isGuarded = settings.allTokens.length > 0 && route.isOpen !== true;
  return {
    operationId,
    summary,
    tags: ['tools'],
    security: isGuarded ? [{ bearer: [] }] : [],
    ...parametersOf(parameters, query),
    ...(body ? { requestBody: { required: true, content: json(oneOfOurs(name)) } } : {}),
    responses: Object.fromEntries(
      Object.entries({ ...commonAnswers(route, settings), ...route.answers }).map(([status, one]) => [
        status,
        answerOf(one),
      ]),
    ),
  };
}

function parametersOf(inPath: Readonly<Record<string, string>>, query: JsonSchema | undefined): object {
  const asked = Object.entries((query?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>); // safe: a schema of ours
  const parameters = [
    ...Object.entries(inPath).map(([name, description]) => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    ...asked.map(([name, { description, ...schema }]) => ({ name, in: 'query', description, schema })),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

/** Answers of the guards, before a route is run. */
function commonAnswers(route: Route, { allTokens, rateLimit }: Settings): Readonly<Record<string, DescribedAnswer>> {
  const isGuarded = allTokens.length > 0 && route.isOpen !== true;
  return {
    ...(route.query || route.body ? { 400: failed('The request does not fit; `details` has its faults') } : {}),
    ...(isGuarded
      ? { 401: { ...failed('The token is missing or wrong'), headers: { 'WWW-Authenticate': '`Bearer`' } } }
      : {}),
    403: failed('`Host` or `Origin` is not on the list'),
    413: failed('The body is too large'),
    ...(route.body ? { 415: failed('The body is not JSON') } : {}),
    ...(rateLimit ? { 429: { ...failed('Too many requests'), headers: { 'Retry-After': 'Seconds' } } } : {}),
    500: failed('The server has failed; its log says why'),
  };
}

function answerOf({ description, schema, headers = {} }: DescribedAnswer): object {
  const all = { ...headers, 'X-Request-Id': 'The id of the request in the log' };
  const described = Object.entries(all).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return { description, headers: Object.fromEntries(described), ...(schema ? { content: json(schema) } : {}) };
}

function json(schema: JsonSchema): object {
  return { 'application/json': { schema } };
}

/** The route of the document itself, which is made when it is asked for first. */
export function openApiRoute(routes: readonly Route[], settings: Settings): Route {
  let document: OpenApiDocument | undefined;
  const own: Route = {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document',
    answers: { 200: { description: 'A document of OpenAPI 3.1', schema: { type: 'object' } } },
    handle: ({ context }) => context.json((document ??= openApiDocument([...routes, own], settings))),
  };
  return own;
}
