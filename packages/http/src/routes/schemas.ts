import type { JsonSchema } from '@x/json-schema';
import type { DescribedAnswer } from './route.ts';

const text: JsonSchema = { type: 'string' };
const date: JsonSchema = { type: 'string', format: 'date-time' };
const milliseconds: JsonSchema = { type: 'number', minimum: 0 };
const size = (maximum: number, preset: number): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  maximum,
  default: preset,
});
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const oneOfOurs = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const record = (properties: Readonly<Record<string, JsonSchema>>, ...required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});

/** Requests, which are judged by these very schemas: they refer to nothing outside themselves. */
export const requests: Readonly<Record<'ListToolsQuery' | 'SearchToolsRequest' | 'ToolCallRequest', JsonSchema>> = {
  ListToolsQuery: record({
    category: { ...text, description: 'Keeps the tools of exactly this category' },
    tag: { ...text, description: 'Keeps the tools with this tag' },
    enabled: { type: 'boolean', description: 'Keeps the tools that are enabled, or disabled' },
    page: { ...size(Number.MAX_SAFE_INTEGER, 1), description: 'The page, from 1; one past the end is empty' },
    limit: { ...size(100, 50), description: 'Tools on a page' },
  }),
  SearchToolsRequest: record(
    {
      query: { ...text, description: 'Words of the name, the description, the tags or the parameters' },
      filters: record({ category: text, tags: { ...listOf(text), description: 'Keeps the tools with all of them' } }),
      limit: size(100, 20),
    },
    'query',
  ),
  ToolCallRequest: record(
    {
      name: text,
      parameters: { type: 'object', description: 'Checked by the tool; nothing is coerced', default: {} },
      options: record({
        timeout: { ...milliseconds, maximum: 600_000, description: 'Milliseconds for each attempt' },
        retry: { type: 'integer', minimum: 0, maximum: 10, description: 'Attempts after the first' },
        retryDelay: { ...milliseconds, maximum: 60_000, description: 'Base of the wait between attempts' },
      }),
    },
    'name',
  ),
};

/** Answers. */
export const answers: Readonly<Record<string, JsonSchema>> = {
  Health: record(
    {
      status: { const: 'ok' },
      message: text,
      version: text,
      uptime: { ...milliseconds, description: 'Seconds' },
      timestamp: date,
    },
    'status',
    'message',
    'version',
    'uptime',
    'timestamp',
  ),
  ToolParameter: record(
    {
      name: text,
      type: { enum: ['string', 'number', 'boolean', 'object', 'array'] },
      description: text,
      required: { type: 'boolean' },
      default: {},
      enum: { type: 'array' },
      pattern: text,
      minimum: { type: 'number' },
      maximum: { type: 'number' },
    },
    'name',
    'type',
    'description',
  ),
  ToolExample: record(
    { description: text, parameters: { type: 'object' }, expectedResult: {} },
    'description',
    'parameters',
  ),
  ToolInfo: record(
    {
      name: text,
      description: text,
      parameters: listOf(oneOfOurs('ToolParameter')),
      version: text,
      enabled: { type: 'boolean' },
      registeredAt: date,
      category: text,
      tags: listOf(text),
      dependencies: listOf(text),
      author: text,
      examples: listOf(oneOfOurs('ToolExample')),
    },
    'name',
    'description',
    'parameters',
    'version',
    'enabled',
    'registeredAt',
  ),
  Pagination: record(
    {
      page: { type: 'integer' },
      limit: { type: 'integer' },
      total: { type: 'integer' },
      totalPages: { type: 'integer' },
    },
    'page',
    'limit',
    'total',
    'totalPages',
  ),
  ListToolsResponse: record(
    { tools: listOf(oneOfOurs('ToolInfo')), pagination: oneOfOurs('Pagination') },
    'tools',
    'pagination',
  ),
  SearchToolsResponse: record(
    {
      query: text,
      results: listOf(oneOfOurs('ToolInfo')),
      total: { type: 'integer', description: 'After the filters, before the limit' },
    },
    'query',
    'results',
    'total',
  ),
  ToolCallResponse: record(
    {
      success: { const: true },
      result: { description: 'What the tool returned; absent when that is nothing' },
      executionTime: { ...milliseconds, description: 'Milliseconds' },
      timestamp: date,
    },
    'success',
    'executionTime',
    'timestamp',
  ),
  Issue: record({ path: { ...text, description: 'JSON pointer' }, message: text, expected: text }, 'path', 'message'),
  Error: record(
    {
      success: { const: false },
      error: { ...text, description: 'For people' },
      code: { ...text, description: 'For programs' },
      details: { ...listOf(oneOfOurs('Issue')), minItems: 1, description: 'Faults of the request' },
      requestId: { ...text, description: 'In place of the words of an error that are only in the log' },
      executionTime: { ...milliseconds, description: 'Of a call: milliseconds' },
      timestamp: { ...date, description: 'Of a call' },
    },
    'success',
    'error',
    'code',
  ),
};

export { date, listOf, milliseconds, oneOfOurs, record, size, text };

/** An answer that is an error. */
export const failed = (description: string): DescribedAnswer => ({ description, schema: oneOfOurs('Error') });
