import { defineTool, objectSchema, type Tool } from '@x/core';
import { describe, expectTypeOf, it } from 'vitest';
import { type ExecutionContext, type ExecutionOptions, ToolExecutor, type ToolExecutorOptions } from '../index.ts';

const executor = new ToolExecutor();
const greet = async ({ name }: { name: string }, { attempt }: ExecutionContext) => ({ text: `Hello ${name}`, attempt });

describe('ToolExecutor.execute', () => {
  it('resolves with what the function does', () => {
    expectTypeOf(executor.execute(greet, { name: 'Ada' })).resolves.toEqualTypeOf<{ text: string; attempt: number }>();
    expectTypeOf(executor.execute(() => 7, {})).resolves.toEqualTypeOf<number>();
    expectTypeOf(executor.execute((_: object, { signal }) => signal, {})).resolves.toEqualTypeOf<AbortSignal>();
  });

  it('wants the parameters that the function takes', () => {
    // @ts-expect-error -- a name is missing
    expectTypeOf(executor.execute(greet, {})).toBeObject();
    // @ts-expect-error -- a name is a text
    expectTypeOf(executor.execute(greet, { name: 7 })).toBeObject();
  });

  it('takes an implementation as a registry has it, whose types say nothing', () => {
    // oxlint-disable-next-line typescript/no-explicit-any -- the specified type of implementations
    const implementation = async (parameters: Record<string, any>, context?: { signal?: AbortSignal }): Promise<any> =>
      context?.signal ?? parameters;

    expectTypeOf(executor.execute(implementation, { a: 1 })).resolves.toBeAny();
    expectTypeOf(executor.invoke(implementation, { a: 1 }, { tool: 'a' })).resolves.toBeUnknown();
  });

  it('takes a tool, whose schema judges the parameters', () => {
    const inputSchema = objectSchema({ city: { type: 'string', description: 'Where.' } });
    const tool = defineTool({
      name: 'weather',
      description: 'The weather.',
      inputSchema,
      execute: async ({ city }) => city,
    });

    expectTypeOf(executor.execute(tool, { city: 'Rome' })).resolves.toBeUnknown();
    expectTypeOf(executor.execute(tool as Tool, JSON.parse('{}'))).resolves.toBeUnknown();
  });
});

describe('the options', () => {
  it('are the specified ones and more, all optional', () => {
    expectTypeOf<{ timeout?: number; retry?: number; retryDelay?: number }>().toExtend<ExecutionOptions>();
    expectTypeOf<ExecutionOptions['backoff']>().toEqualTypeOf<'exponential' | 'linear' | 'constant' | undefined>();
    expectTypeOf<{ concurrency: { perTool: (tool?: string) => number | undefined } }>().toExtend<ToolExecutorOptions>();
  });

  it('of an executor name no call', () => {
    // @ts-expect-error -- a signal belongs to an execution
    expectTypeOf(new ToolExecutor({ signal: new AbortController().signal })).toBeObject();
  });
});
