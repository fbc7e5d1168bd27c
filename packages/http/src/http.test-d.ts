import type { ExecutionOptions } from '@x/executor';
import { describe, expectTypeOf, it } from 'vitest';
import type {
  CallToolRequest,
  CallToolResponse,
  ListToolsQuery,
  SearchToolsRequest,
  ServerConfig,
  ToolCallRequest,
  ToolCallResponse,
} from './index.ts';

describe('the types of the routes', () => {
  it('H28 H45 are those of the specification', () => {
    expectTypeOf<ToolCallResponse>().toEqualTypeOf<{
      readonly success: boolean;
      readonly result?: unknown;
      readonly error?: string;
      readonly code?: string;
      readonly executionTime?: number;
      readonly timestamp?: string;
    }>();
    expectTypeOf<Pick<ExecutionOptions, 'timeout' | 'retry' | 'retryDelay'>>().toEqualTypeOf<
      NonNullable<ToolCallRequest['options']>
    >();
    expectTypeOf<{ name: string; parameters: Record<string, unknown> }>().toExtend<ToolCallRequest>();
    expectTypeOf<CallToolRequest>().toEqualTypeOf<ToolCallRequest>();
    expectTypeOf<CallToolResponse>().toEqualTypeOf<ToolCallResponse>();
    expectTypeOf<{
      category: string;
      tag: string;
      enabled: boolean;
      page: number;
      limit: number;
    }>().toExtend<ListToolsQuery>();
    expectTypeOf<{
      query: string;
      filters: { category: string; tags: string[] };
      limit: number;
    }>().toExtend<SearchToolsRequest>();
  });

  it('C01 are those of the configuration', () => {
    expectTypeOf<ServerConfig['logLevel']>().toEqualTypeOf<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>();
    expectTypeOf<{ enabled: boolean; origin: string | string[] }>().toExtend<NonNullable<ServerConfig['cors']>>();
    expectTypeOf<NonNullable<ServerConfig['rateLimit']>>().toEqualTypeOf<{
      readonly max: number;
      readonly timeWindow: number;
    }>();
  });
});
