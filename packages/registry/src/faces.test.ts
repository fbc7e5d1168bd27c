import { type AgentError, defineTool, isAgentError, RateLimitError, type Tool, type ToolContext } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { functionTool } from './function-tool.ts';
import type { McpResult } from './mcp-result.ts';
import { ToolRegistry } from './tool-registry.ts';

interface Call {
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}
/** What came of a call, whatever the face. */
type Outcome = { readonly value: unknown } | Pick<AgentError, 'name' | 'code' | 'statusCode' | 'details'>;
/** A tool is asked for before the registry changes, as a session has it. */
type Face = (registry: ToolRegistry, offered: ReadonlyMap<string, Tool>, call: Call) => Promise<unknown>;

const faces: Readonly<Record<string, Face>> = {
  execute: (registry, _, { name, input = {}, signal }) => registry.execute(name, input, signal ? { signal } : {}),
  'the tool in a run': async (_registry, offered, { name, input = {}, signal = new AbortController().signal }) => {
    const tool = offered.get(name) as Tool; // every tool of the table was there once
    const parsed = tool.inputSchema.parse(input); // as the loop does
    const { value } = await collect(tool.execute(parsed, contextOf(signal)));
    return Object.hasOwn(value, 'data') ? value.data : value.output;
  },
  'the tool, not parsed before': async (
    _registry,
    offered,
    { name, input = {}, signal = new AbortController().signal },
  ) => {
    const { value } = await collect((offered.get(name) as Tool).execute(input, contextOf(signal)));
    return Object.hasOwn(value, 'data') ? value.data : value.output;
  },
  'the function call': (registry, _, { name, input, signal }) =>
    registry.callFunction({ name, ...(input ? { arguments: input } : {}) }, signal ? { signal } : {}),
  'the function call as JSON': (registry, _, { name, input, signal }) =>
    registry.callFunction({ name, arguments: input ? JSON.stringify(input) : '' }, signal ? { signal } : {}),
  'the MCP call': async (registry, _, { name, input, signal }) => {
    const result = await registry.callMcpTool(
      { name, ...(input ? { arguments: input } : {}) },
      signal ? { signal } : {},
    );
    return result.isError ? Promise.reject(new Error('of the protocol', { cause: result })) : valueOf(result);
  },
};

const text = (name: string) => ({ name, type: 'string' as const, description: '' });
const sum = { a: 1, b: 2 };

function tools(): ToolRegistry {
  const registry = new ToolRegistry();
  const add = [
    { name: 'a', type: 'number' as const, description: '', required: true },
    { name: 'b', type: 'number' as const, description: '', default: 2 },
  ];
  const register = (name: string, implementation: () => Promise<unknown>, dependencies: string[] = []) =>
    registry.register({ name, description: 'd', parameters: [text('t')] }, implementation, { dependencies });
  registry.register({ name: 'add', description: 'Adds', parameters: add }, async ({ a, b }) => ({ a, b }));
  const zod = z.object({ a: z.number(), b: z.number().default(2) });
  registry.add(defineTool({ name: 'zod', description: 'Adds', inputSchema: zod, execute: async (input) => input }));
  const parameters = {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number', default: 2 } },
    required: ['a'],
  };
  registry.add(
    functionTool({ type: 'function', function: { name: 'json', description: 'Adds', parameters } }, (input) => input),
  );
  const either = z.union([z.object({ a: z.number() }), z.string().transform((one) => ({ a: one.length }))]);
  registry.add(
    defineTool({ name: 'either', description: 'Takes', inputSchema: either, execute: async (input) => input }),
  );
  registry.add(
    defineTool({
      name: 'choice',
      description: 'Takes',
      inputSchema: z.enum(['x', 'y']),
      execute: async (input) => ({ input }),
    }),
  );
  register('base', async () => 'base');
  register('needs', async () => 'needs', ['base']);
  register('off', async () => 'off');
  register('gone', async () => 'gone');
  register('broken', () => Promise.reject(new Error('below')));
  register('throws-nothing', () => Promise.reject(undefined));
  register('busy', () => Promise.reject(new RateLimitError('slow down', 3)));
  registry.add(
    defineTool({
      name: 'broken-tool',
      description: 'd',
      inputSchema: z.object({}),
      execute: () => Promise.reject(new TypeError('below')),
    }),
  );
  return registry;
}

const refused = (...details: readonly object[]): object => ({
  name: 'ValidationError',
  code: 'VALIDATION_ERROR',
  details: details.map((one) => expect.objectContaining(one)),
});
const aborted = AbortSignal.abort();

const table: readonly (readonly [string, Call, object])[] = [
  ['a valid call', { name: 'add', input: { a: 1, b: 5 } }, { value: { a: 1, b: 5 } }],
  ['a valid call, zod', { name: 'zod', input: { a: 1, b: 5 } }, { value: { a: 1, b: 5 } }],
  ['a valid call, JSON Schema', { name: 'json', input: { a: 1, b: 5 } }, { value: { a: 1, b: 5 } }],
  ['defaults', { name: 'add', input: { a: 1 } }, { value: sum }],
  ['defaults, zod', { name: 'zod', input: { a: 1 } }, { value: sum }],
  ['defaults, JSON Schema', { name: 'json', input: { a: 1 } }, { value: sum }],
  ['a missing parameter', { name: 'add', input: {} }, refused({})],
  ['a missing parameter, zod', { name: 'zod', input: {} }, refused({})],
  ['a missing parameter, JSON Schema', { name: 'json' }, refused({})],
  ['no parameters', { name: 'add' }, refused({})],
  ['wrong types, all told', { name: 'add', input: { a: '1', b: true } }, refused({}, {})],
  ['wrong types, zod', { name: 'zod', input: { a: '1', b: true } }, refused({}, {})],
  ['wrong types, JSON Schema', { name: 'json', input: { a: '1', b: true } }, refused({}, {})],
  ['an unknown parameter', { name: 'add', input: { a: 1, c: 1 } }, refused({})],
  ['an unknown parameter, zod', { name: 'zod', input: { a: 1, c: 1 } }, refused({})],
  ['an unknown parameter, JSON Schema', { name: 'json', input: { a: 1, c: 1 } }, refused({})],
  ['a root union', { name: 'either', input: { input: { a: 4 } } }, { value: { a: 4 } }],
  ['a root union that is made into something else', { name: 'either', input: { input: 'four' } }, { value: { a: 4 } }],
  ['a root union, not wrapped', { name: 'either', input: { a: 4 } }, { code: 'VALIDATION_ERROR' }],
  ['a root that is a text', { name: 'choice', input: { input: 'x' } }, { value: { input: 'x' } }],
  ['a root that is a text, wrong', { name: 'choice', input: { input: 'z' } }, { code: 'VALIDATION_ERROR' }],
  [
    'an unknown tool',
    { name: 'gone', input: { t: 1 } },
    { name: 'ToolNotFoundError', code: 'TOOL_NOT_FOUND', statusCode: 404 },
  ],
  [
    'a disabled tool',
    { name: 'off', input: { t: 1 } },
    { name: 'ToolDisabledError', code: 'TOOL_DISABLED', statusCode: 403 },
  ],
  ['a missing dependency', { name: 'needs', input: { t: 1 } }, { name: 'ToolDisabledError', code: 'TOOL_DISABLED' }],
  [
    'a foreign error',
    { name: 'broken' },
    { name: 'ToolExecutionError', code: 'TOOL_EXECUTION_ERROR', statusCode: 500 },
  ],
  [
    'a foreign error of a finished tool',
    { name: 'broken-tool' },
    { name: 'ToolExecutionError', code: 'TOOL_EXECUTION_ERROR' },
  ],
  ['undefined, thrown', { name: 'throws-nothing' }, { name: 'ToolExecutionError', code: 'TOOL_EXECUTION_ERROR' }],
  ['an own error', { name: 'busy' }, { name: 'RateLimitError', code: 'RATE_LIMIT_EXCEEDED', statusCode: 429 }],
  ['an aborted signal', { name: 'add', input: { a: 1 }, signal: aborted }, { name: 'AbortError', code: 'ABORTED' }],
  [
    'an aborted signal, zod',
    { name: 'zod', input: { a: 1 }, signal: aborted },
    { name: 'AbortError', code: 'ABORTED' },
  ],
  ['an aborted signal and wrong parameters', { name: 'add', signal: aborted }, { code: 'VALIDATION_ERROR' }],
  ['an aborted signal and a disabled tool', { name: 'off', signal: aborted }, { code: 'TOOL_DISABLED' }],
];

describe.each(table)('%s', (_what, call, expected) => {
  it.each(Object.keys(faces))('comes to the same through %s', async (face) => {
    expect(await outcomeOf(faces[face] as Face, call)).toEqual(await outcomeOf(faces['execute'] as Face, call));
  });

  it('is what was to be expected', async () => {
    expect(await outcomeOf(faces['execute'] as Face, call)).toMatchObject(expected);
  });
});

describe('the faces of a registry', () => {
  it('show what can be run and nothing else, in the order of registration', () => {
    const registry = tools();
    changed(registry);
    const runnable = ['add', 'zod', 'json', 'either', 'choice', 'broken', 'throws-nothing', 'busy', 'broken-tool'];

    expect(registry.tools().map(({ name }) => name)).toEqual(runnable);
    expect(registry.functionDefinitions().map((one) => one.function.name)).toEqual(runnable);
    expect(registry.mcpTools().map(({ name }) => name)).toEqual(runnable);
  });

  it('show the same schema', () => {
    const registry = tools();
    const schemas = registry.tools().map(({ inputSchema }) => inputSchema.json);

    expect(registry.functionDefinitions().map((one) => one.function.parameters)).toEqual(schemas);
    expect(registry.mcpTools().map(({ inputSchema }) => inputSchema)).toMatchObject(schemas);
    expect(schemas.every(({ type }) => type === 'object')).toBe(true);
  });

  it.each(['tools', 'functionDefinitions', 'mcpTools'] as const)('%s takes a filter', (face) => {
    const registry = new ToolRegistry();
    registry.register({ name: 'a', description: 'd', parameters: [], tags: ['x'] }, async () => 1);
    registry.register({ name: 'b', description: 'd', parameters: [], category: 'c' }, async () => 1);

    expect([registry[face]({ tag: 'x' }), registry[face]({ category: 'c' })].map(({ length }) => length)).toEqual([
      1, 1,
    ]);
    expect([registry[face]({ tag: 'x', category: 'c' }), registry[face]({ enabled: false })]).toEqual([[], []]);
    expect(() => registry[face]({ tgas: [] } as never)).toThrow(/did you mean tag/);
  });
});

function changed(registry: ToolRegistry): void {
  registry.disable('off');
  registry.unregister('gone');
  registry.unregister('base', { force: true });
}

async function outcomeOf(face: Face, call: Call): Promise<Outcome> {
  const registry = tools();
  const offered = new Map(registry.tools().map((tool) => [tool.name, tool]));
  changed(registry);
  return face(registry, offered, call).then(
    (value) => ({ value }),
    (error: Error) => factsOf(error),
  );
}

function factsOf(error: Error): Outcome {
  if (!isAgentError(error)) return (error.cause as McpResult)._meta?.['agent-sdk/error'] as Outcome; // what the MCP face rejects with
  const { message: _, ...facts } = error.toJSON();
  return facts;
}

function valueOf({ structuredContent, content }: McpResult): unknown {
  return structuredContent ?? content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function contextOf(signal: AbortSignal): ToolContext {
  return { callId: 'c', idempotencyKey: 's:c', signal } as ToolContext; // the tools of the table read no more
}
