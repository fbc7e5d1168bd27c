import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Schema, type Tool, type ToolContext, type ToolExecutionContext } from './index.ts';
import { objectSchema } from './object-schema.ts';

describe('defineTool', () => {
  it('runs the example MyTool of spec/004 without a cast (T10)', () => {
    const customTool = defineTool({
      name: 'MyTool',
      description: 'Custom tool',
      inputSchema: z.object({
        query: z.string().describe('the query'),
      }),
      execute: async (input, context) => {
        expectTypeOf(input).toEqualTypeOf<{ query: string }>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        return `Result: ${input.query} ${context.sessionId}${context.cwd}`;
      },
    });

    expectTypeOf(customTool).toEqualTypeOf<Tool<{ query: string }>>();
    expectTypeOf(customTool).toExtend<Tool>();
    expectTypeOf<ToolExecutionContext>().toEqualTypeOf<ToolContext>();
  });

  it('infers the output of a zod schema, defaults and transforms included', () => {
    const tool = defineTool({
      name: 'a',
      description: 'd',
      inputSchema: z.object({ limit: z.number().default(1), at: z.string().transform((text) => text.length) }),
      subject(input) {
        expectTypeOf(input).toEqualTypeOf<{ limit: number; at: number }>();
        return undefined;
      },
      execute: async (input) => input.at + input.limit,
    });

    expectTypeOf(tool).toEqualTypeOf<Tool<{ limit: number; at: number }>>();
  });

  it('infers from a Schema', () => {
    const schema: Schema<{ path: string }> = { json: {}, parse: () => ({ path: '' }) };

    const tool = defineTool({
      name: 'a',
      description: 'd',
      inputSchema: schema,
      execute: async (input) => {
        expectTypeOf(input).toEqualTypeOf<{ path: string }>();
        return input.path;
      },
    });

    expectTypeOf(tool).toEqualTypeOf<Tool<{ path: string }>>();
  });

  it('infers from objectSchema: literals of an enum, optional fields', () => {
    defineTool({
      name: 'a',
      description: 'd',
      inputSchema: objectSchema({
        mode: { type: 'string', description: 'd', enum: ['fast', 'slow'] },
        limit: { type: 'integer', description: 'd', optional: true },
        all: { type: 'boolean', description: 'd' },
      }),
      execute: async (input) => {
        expectTypeOf(input.mode).toEqualTypeOf<'fast' | 'slow'>();
        expectTypeOf(input.all).toEqualTypeOf<boolean>();
        expectTypeOf(input).toExtend<{ limit?: number }>();
        expectTypeOf(input.limit).toEqualTypeOf<number | undefined>();
        return '';
      },
    });
  });

  it('infers in a generator', () => {
    const tool = defineTool({
      name: 'a',
      description: 'd',
      inputSchema: z.object({ text: z.string() }),
      async *execute(input) {
        expectTypeOf(input).toEqualTypeOf<{ text: string }>();
        yield input.text;
        return { done: true };
      },
    });

    expectTypeOf(tool).toEqualTypeOf<Tool<{ text: string }>>();
  });

  it('takes a JSON Schema as it is, whose input is unknown', () => {
    const tool = defineTool({
      name: 'a',
      description: 'd',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      execute: async (input) => {
        expectTypeOf(input).toBeUnknown();
        return '';
      },
    });

    expectTypeOf(tool).toEqualTypeOf<Tool<unknown>>();
    expectTypeOf(defineTool({ name: 'a', description: 'd', inputSchema: true, execute: async () => '' })).toEqualTypeOf<
      Tool<unknown>
    >();
  });

  it('refuses what it does not know', () => {
    const definition = { name: 'a', description: 'd', inputSchema: z.object({}), execute: async () => '' };

    // @ts-expect-error a kind that does not exist
    defineTool({ ...definition, kind: 'delete' });
    // @ts-expect-error no input schema
    defineTool({ name: 'a', description: 'd', execute: async () => '' });
    const numbers = async function* () {
      yield 5;
    };
    // @ts-expect-error a generator must yield text or events
    defineTool({ ...definition, execute: numbers });
    expectTypeOf(defineTool(definition)).toExtend<Tool>();
  });
});
