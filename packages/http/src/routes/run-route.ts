import { AgentError, ValidationError } from '@x/core';
import type { ValidationIssue } from '@x/errors';
import { type CompiledJsonSchema, type JsonSchema, jsonSchema } from '@x/json-schema';
import type { AnswerError } from '../answers/error-answer.ts';
import type { HttpContext } from '../answers/http-env.ts';
import { isJson, parseJson } from '../security/json-body.ts';
import type { ServedRoute } from './route.ts';

/** Checks a request by the schemas of its route, and runs it. */
export function runRoute(route: ServedRoute, answerError: AnswerError): (context: HttpContext) => Promise<Response> {
  const query = route.query && jsonSchema(route.query);
  const headers = route.headers && jsonSchema(route.headers);
  const body = route.body && jsonSchema(route.body);
  const faultsOfPath = pathRule(route);
  const refuse = (context: HttpContext, details: readonly ValidationIssue[]) =>
    answerError(context, new ValidationError('Validation failed', undefined, details), { details });

  return async (context) => {
    const parts = faultsOfPath(context);
    if (parts.length > 0) return refuse(context, parts);
    const asked = query?.check(queryOf(context, route.query ?? {}));
    if (asked?.issues) return refuse(context, asked.issues);
    const named = headers?.check(headersOf(context, route.headers ?? {}));
    if (named?.issues) return refuse(context, named.issues);
    const sent = body && readBody(context, body, route.checkBody);
    if (sent?.issues) return refuse(context, sent.issues);
    return await route.handle({ context, query: asked?.value, headers: named?.value, body: sent?.value });
  };
}

/** Finds the parts of a path that do not match their patterns. */
function pathRule({ parameters = {} }: ServedRoute): (context: HttpContext) => readonly ValidationIssue[] {
  const patterns = Object.entries(parameters).flatMap(([name, part]) =>
    typeof part === 'string' ? [] : [{ name, pattern: new RegExp(part.pattern) }],
  );
  return (context) =>
    patterns
      .filter(({ name, pattern }) => !pattern.test(context.req.param(name) ?? ''))
      .map(({ name, pattern }) => ({ path: `/${name}`, message: `${name} must match ${pattern.source}` }));
}

function headersOf(context: HttpContext, { properties = {} }: JsonSchema): Readonly<Record<string, unknown>> {
  const given = Object.keys(properties as object).map((name) => [name, context.req.header(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function readBody(context: HttpContext, schema: CompiledJsonSchema, checkBody: ServedRoute['checkBody']) {
  if (!isJson(context.req.raw.headers)) throw unsupported();
  const read = parseJson(context.get('bytes') ?? new Uint8Array());
  if (read.issues) return read;
  checkBody?.(read.value);
  return schema.check(read.value);
}

/** The query as the schema has it; what cannot be read so stays a text, or a list when it comes twice, which the schema refuses. */
function queryOf(context: HttpContext, { properties = {} }: JsonSchema): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(properties as Readonly<Record<string, JsonSchema>>)) {
    const values = context.req.queries(name);
    if (values) given[name] = values.length === 1 ? readText(values[0]!, type) : values; // it has one
  }
  return given;
}

function readText(text: string, type: unknown): unknown {
  if (type === 'integer' && /^(0|-?[1-9]\d{0,15})$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function unsupported(): AgentError {
  return new AgentError('The body must be application/json in UTF-8, not compressed', 'UNSUPPORTED_MEDIA_TYPE', 415);
}
