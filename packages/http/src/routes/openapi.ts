import type { JsonSchema } from '@x/json-schema';
import { answerJson } from '../answers/answer.ts';
import type { Settings } from '../settings/http-options.ts';
import type { DescribedAnswer, PathPart, Route } from './route.ts';
import { baseOf } from './route-table.ts';
import { answers, failed, oneOfOurs } from './schemas.ts';

/** A document of OpenAPI 3.1.1. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** Schemas of answers, and what the tags say, of routes that are not always there. */
export interface MoreOfDocument {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

/** Describes the routes by what they are checked with. */
function openApiDocument(routes: readonly Route[], settings: Settings, more?: MoreOfDocument): OpenApiDocument {
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
    servers: [],
    tags: [{ name: 'tools', description: 'Tools of the registry' }, ...(more?.tags ?? [])],
    paths,
    components: {
      schemas: {
        ...answers,
        ...more?.schemas,
        ...Object.fromEntries(routes.flatMap(({ bodyName, body }) => (bodyName && body ? [[bodyName, body]] : []))),
      },
      ...(hasTokens ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}

function operationOf(route: Route, settings: Settings): object {
  const { operationId, summary, body, bodyName, tag = 'tools' } = route;
  const isGuarded = settings.allTokens.length > 0 && route.isOpen !== true;
  return {
    operationId,
    summary,
    tags: [tag],
    security: isGuarded ? [{ bearer: [] }] : [],
    ...parametersOf(route),
    ...(body ? { requestBody: { required: true, content: json(bodyName ? oneOfOurs(bodyName) : body) } } : {}),
    responses: Object.fromEntries(
      Object.entries({ ...commonAnswers(route, settings), ...route.answers }).map(([status, one]) => [
        status,
        answerOf(one),
      ]),
    ),
  };
}

function parametersOf({ parameters: inPath = {}, query, headers }: Route): object {
  const parameters = [
    ...Object.entries(inPath).map(([name, part]) => ({ name, in: 'path', required: true, ...partOf(part) })),
    ...fieldsOf(query, 'query'),
    ...fieldsOf(headers, 'header'),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function partOf(part: PathPart): object {
  if (typeof part === 'string') return { description: part, schema: { type: 'string' } };
  return { description: part.description, schema: { type: 'string', pattern: part.pattern } };
}

function fieldsOf(schema: JsonSchema | undefined, place: 'query' | 'header'): readonly object[] {
  const fields = Object.entries((schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>); // safe: a schema of ours
  return fields.map(([name, { description, ...rest }]) => ({ name, in: place, description, schema: rest }));
}

/** Answers of the guards, before a route is run. */
function commonAnswers(route: Route, { allTokens, rateLimit }: Settings): Readonly<Record<string, DescribedAnswer>> {
  const isGuarded = allTokens.length > 0 && route.isOpen !== true;
  return {
    ...(isChecked(route) ? { 400: failed('The request does not fit; `details` has its faults') } : {}),
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

function isChecked({ query, body, headers, parameters = {} }: Route): boolean {
  return Boolean(query || body || headers) || Object.values(parameters).some((part) => typeof part !== 'string');
}

function answerOf({ description, schema, type, headers = {} }: DescribedAnswer): object {
  const all = { ...headers, 'X-Request-Id': 'The id of the request in the log' };
  const described = Object.entries(all).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return { description, headers: Object.fromEntries(described), ...(schema ? { content: json(schema, type) } : {}) };
}

function json(schema: JsonSchema, type = 'application/json'): object {
  return { [type]: { schema } };
}

/** The route of the document itself, which is made when it is asked for first. */
export function openApiRoute(routes: readonly Route[], settings: Settings, more?: MoreOfDocument): Route {
  let document: OpenApiDocument | undefined;
  const own: Route = {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document',
    answers: { 200: { description: 'A document of OpenAPI 3.1', schema: { type: 'object' } } },
    handle({ context }) {
      document ??= openApiDocument([...routes, own], settings, more);
      return answerJson(context, { ...document, servers: [{ url: baseOf(context) || '/' }] });
    },
  };
  return own;
}
