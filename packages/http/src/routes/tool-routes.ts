import { ToolNotFoundError, ValidationError } from '@x/core';
import { jsonText } from '@x/core/internal';
import { isRecord } from '@x/errors';
import { answer, answerJson } from '../answers/answer.ts';
import type { AnswerError } from '../answers/error-answer.ts';
import type { HttpContext } from '../answers/http-env.ts';
import type { Settings } from '../settings/http-options.ts';
import type { ListToolsQuery, SearchToolsRequest, ToolCallRequest } from './messages.ts';
import type { Route } from './route.ts';
import { runTool, writable } from './run-tool.ts';
import { failed, oneOfOurs, requests } from './schemas.ts';

const UNKNOWN_TOOL = failed('No tool has this name');

/** The tools of a registry: list, detail, search and call. */
export function toolRoutes(settings: Settings, answerError: AnswerError): readonly Route[] {
  return [
    listRoute(settings),
    detailRoute(settings, answerError),
    searchRoute(settings),
    callRoute(settings, answerError),
  ];
}

function listRoute({ registry }: Settings): Route {
  return {
    method: 'get',
    path: '/v1/tools',
    operationId: 'listTools',
    summary: 'The tools, in the order of their registration',
    query: requests.ListToolsQuery,
    answers: { 200: { description: 'One page', schema: oneOfOurs('ListToolsResponse') } },
    handle({ context, query }) {
      const { page = 1, limit = 50, ...filter } = query as ListToolsQuery; // safe: it fits the schema
      const { items, ...pagination } = registry.page({ page, limit }, filter);
      return answerJson(context, { tools: items, pagination });
    },
  };
}

function detailRoute({ registry }: Settings, answerError: AnswerError): Route {
  return {
    method: 'get',
    path: '/v1/tools/:name',
    operationId: 'getTool',
    summary: 'One tool',
    parameters: { name: 'The name of the tool' },
    answers: {
      200: { description: 'The tool', schema: oneOfOurs('ToolInfo') },
      400: failed('The name could be the path of a file, or holds control characters'),
      404: UNKNOWN_TOOL,
    },
    handle({ context }) {
      const name = context.req.param('name') ?? '';
      if (/[\p{Cc}/\\]/u.test(name)) return refusedName(context, answerError);
      const entry = registry.get(name);
      if (!entry) throw new ToolNotFoundError(`Tool not found: ${name}`);
      const { metadata, implementation: _, ...facts } = entry;
      return answerJson(context, { ...metadata, ...facts });
    },
  };
}

function refusedName(context: HttpContext, answerError: AnswerError): Response {
  const details = [{ path: '/name', message: 'A name has no slash, no backslash and no control character' }];
  return answerError(context, new ValidationError('Validation failed', 'name'), { details });
}

function searchRoute({ registry }: Settings): Route {
  return {
    method: 'post',
    path: '/v1/tools/search',
    operationId: 'searchTools',
    summary: 'The enabled tools that match, best first',
    body: requests.SearchToolsRequest,
    bodyName: 'SearchToolsRequest',
    checkBody: requireQuery,
    answers: { 200: { description: 'The best ones, and how many match', schema: oneOfOurs('SearchToolsResponse') } },
    handle({ context, body }) {
      const { query, filters = {}, limit = 20 } = body as SearchToolsRequest; // safe: it fits the schema
      const { category, tags = [] } = filters;
      const found = registry
        .search(query, { limit: Number.POSITIVE_INFINITY })
        .filter((tool) => category === undefined || tool.category === category)
        .filter((tool) => tags.every((tag) => tool.tags?.includes(tag)));
      return answerJson(context, { query, results: found.slice(0, limit), total: found.length });
    },
  };
}

function requireQuery(body: unknown): void {
  const { query } = Object(body) as { readonly query?: unknown }; // safe: only read
  const isBlank = typeof query === 'string' && query.trim() === '';
  if (isRecord(body) && (query === undefined || isBlank)) throw new ValidationError('Query is required', 'query');
}

function callRoute(settings: Settings, answerError: AnswerError): Route {
  return {
    method: 'post',
    path: '/v1/tools/call',
    operationId: 'callTool',
    summary: 'Runs a tool',
    body: requests.ToolCallRequest,
    bodyName: 'ToolCallRequest',
    answers: {
      200: { description: 'The result of the tool', schema: oneOfOurs('ToolCallResponse') },
      403: failed('The tool is disabled, or this caller may not be here'),
      404: UNKNOWN_TOOL,
      408: {
        ...failed('The tool did not end in time; its effect is not known'),
        headers: { 'X-Tool-Outcome': '`unknown`: the effect may have happened' },
      },
      429: { ...failed('Too many requests, or too many calls of the tool'), headers: { 'Retry-After': 'Seconds' } },
      default: failed('The error of the tool, with its own status'),
    },
    async handle(request) {
      const start = performance.now();
      const facts = () => ({ executionTime: performance.now() - start, timestamp: new Date().toISOString() });
      try {
        const call = request.body as ToolCallRequest; // safe: it fits the schema
        const result = await runTool(settings, call, { signal: request.context.req.raw.signal });
        const text = writable(call.name, () => jsonText({ success: true, result, ...facts() })!);
        return answer(request.context, text, 200, JSON_TYPE);
      } catch (error) {
        return answerError(request.context, error, facts());
      }
    },
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
