import { defineTool, type JsonSchema, type Tool } from '@x/core';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type FunctionDefinition,
  functionTool,
  type McpResult,
  type McpTool,
  metadataTool,
  type RegistryChange,
  type ToolImplementation,
  type ToolInfo,
  type ToolMetadata,
  ToolRegistry,
  type ToolRegistryEntry,
  toFunctionDefinition,
  toMcpTool,
  toMetadata,
} from './index.ts';
import { type Invoke, type Page, paginate } from './internal.ts';

const metadata: ToolMetadata = { name: 'test', description: 'Test tool', parameters: [] };
const tool = defineTool({
  name: 'length',
  description: 'd',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => text.length,
});

describe('ToolRegistry', () => {
  it('takes implementations with and without their second parameter', () => {
    const registry = new ToolRegistry();

    expectTypeOf(registry.register(metadata, async () => ({ result: 'ok' }))).toEqualTypeOf<void>();
    registry.register(metadata, async (parameters) => parameters['a'] as string);
    registry.register(metadata, async ({ a, b }) => a + b);
    registry.register(metadata, async (_, context) => {
      expectTypeOf(context?.signal).toEqualTypeOf<AbortSignal | undefined>();
      expectTypeOf(context?.idempotencyKey).toEqualTypeOf<string | undefined>();
    });
    // @ts-expect-error -- an implementation answers with a promise
    registry.register(metadata, () => 1);
    // @ts-expect-error -- the type is one of five
    registry.register({ ...metadata, parameters: [{ name: 'a', type: 'integer', description: '' }] }, async () => 1);
    // @ts-expect-error -- enabled is no option
    registry.register(metadata, async () => 1, { enabled: false });
  });

  it('takes finished tools, and definitions with their inference, without a cast', () => {
    const registry = new ToolRegistry();

    registry.add(tool);
    registry.add(metadataTool(metadata, async () => 1));
    registry.add({
      name: 'plain',
      description: 'd',
      inputSchema: z.object({ to: z.number().default(1) }),
      execute: async (input) => {
        expectTypeOf(input).toEqualTypeOf<{ to: number }>();
        return input.to;
      },
    });
    // @ts-expect-error -- no schema
    registry.add({ name: 'plain', description: 'd', execute: async () => 1 });
  });

  it('answers with what the specification names', () => {
    const registry = new ToolRegistry({ namePattern: /a/ });

    expectTypeOf(registry.get('a')).toEqualTypeOf<ToolRegistryEntry | undefined>();
    expectTypeOf(registry.list({ enabled: true, tags: ['a'] })).toEqualTypeOf<ToolInfo[]>();
    expectTypeOf(registry.search('a')).toExtend<ToolMetadata[]>();
    expectTypeOf(registry.filterByTag(['a'])).toExtend<ToolMetadata[]>();
    expectTypeOf(registry.filterByCategory('a')).toExtend<ToolMetadata[]>();
    expectTypeOf(registry.getVersion('a')).toEqualTypeOf<string>();
    expectTypeOf(registry.execute('a', {})).toEqualTypeOf<Promise<unknown>>();
    expectTypeOf(registry.page({ page: 1 })).toEqualTypeOf<Page<ToolInfo>>();
    expectTypeOf<ToolRegistryEntry>().toHaveProperty('registeredAt').toEqualTypeOf<Date>();
    expectTypeOf(
      registry.onChange(({ type }) => expectTypeOf(type).toEqualTypeOf<RegistryChange['type']>()),
    ).toEqualTypeOf<() => void>();
    // @ts-expect-error -- what is handed out is not changed
    registry.list()[0]!.name = 'b';
  });

  it('shows its tools in each form', () => {
    const registry = new ToolRegistry();

    expectTypeOf(registry.tools()).toEqualTypeOf<Tool[]>();
    expectTypeOf(registry.functionDefinitions()).toEqualTypeOf<FunctionDefinition[]>();
    expectTypeOf(registry.mcpTools()).toEqualTypeOf<McpTool[]>();
    expectTypeOf(registry.callFunction({ name: 'a', arguments: '{}' })).toEqualTypeOf<Promise<unknown>>();
    expectTypeOf(registry.callMcpTool({ name: 'a', arguments: {} })).toEqualTypeOf<Promise<McpResult>>();
  });

  it('lets a host run the implementations', () => {
    const invoke: Invoke = async (implementation, parameters, { tool: name, signal }) => {
      expectTypeOf(implementation).toEqualTypeOf<ToolImplementation>();
      expectTypeOf(name).toEqualTypeOf<string>();
      return implementation(parameters, signal ? { signal } : {});
    };

    new ToolRegistry({ invoke });
    void new ToolRegistry().execute('a', {}, { invoke, idempotencyKey: 'k' });
  });
});

describe('the forms of a tool', () => {
  it('are made of tools and of metadata', () => {
    expectTypeOf(toFunctionDefinition(tool)).toEqualTypeOf<FunctionDefinition>();
    expectTypeOf(toFunctionDefinition(metadata).function.parameters).toEqualTypeOf<JsonSchema>();
    expectTypeOf(toMcpTool(tool).inputSchema.type).toEqualTypeOf<'object'>();
    expectTypeOf(toMetadata(tool)).toEqualTypeOf<ToolMetadata>();
    expectTypeOf(metadataTool(metadata, async () => 1)).toEqualTypeOf<Tool<Record<string, unknown>>>();
    expectTypeOf(functionTool(toFunctionDefinition(tool), (input) => input)).toEqualTypeOf<Tool>();
  });

  it('keep the type of the items of a page', () => {
    expectTypeOf(paginate(['a'], { limit: 1 })).toEqualTypeOf<Page<string>>();
  });
});
