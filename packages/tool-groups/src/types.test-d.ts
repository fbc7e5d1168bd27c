import type { JsonSchema, Tool } from '@x/core';
import { describe, expectTypeOf, it } from 'vitest';
import {
  BUILTIN_TOOL_GROUPS,
  type FunctionDefinition,
  type Role,
  type Runtime,
  type RuntimeOptions,
  type ToolGroup,
  ToolGroupManager,
  type ToolModule,
} from './index.ts';
import type { ToolGroupAnswer, ToolGroupError } from './internal.ts';

describe('the specified types', () => {
  it('hold for groups and definitions', () => {
    expectTypeOf<FunctionDefinition['function']>().toEqualTypeOf<{
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonSchema;
    }>();
    expectTypeOf<ToolGroup>().toExtend<{
      id: string;
      description: string;
      isReserved: boolean;
      registeredAt: string;
    }>();
    expectTypeOf<ToolGroup['tools']>().toEqualTypeOf<readonly FunctionDefinition[]>();
    expectTypeOf(BUILTIN_TOOL_GROUPS.org_management.tools).toEqualTypeOf<readonly string[]>();
    // @ts-expect-error -- not one of the seven
    expectTypeOf(BUILTIN_TOOL_GROUPS.chrome).not.toBeNever();
  });

  it('hold for the manager', () => {
    expectTypeOf<ToolGroupManager['registerGroup']>().returns.toEqualTypeOf<ToolGroupAnswer>();
    expectTypeOf<Parameters<ToolGroupManager['registerGroup']>[2]>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<ToolGroupManager['getToolGroup']>().returns.toEqualTypeOf<string | null>();
    expectTypeOf<ToolGroupManager['getAllGroupIds']>().returns.toEqualTypeOf<string[]>();
    expectTypeOf<ToolGroupManager['isToolInGroups']>().parameters.toEqualTypeOf<[string, readonly string[]]>();
    expectTypeOf<Extract<ToolGroupAnswer, { ok: true }>['error']>().toEqualTypeOf<undefined>();
  });

  it('take what the specification writes: an answer in parts, and any object as parameters', () => {
    const manager = new ToolGroupManager();
    const parameters: object = { type: 'object' };
    const tools = [{ type: 'function' as const, function: { name: 'a', description: 'd', parameters } }];

    const { ok, error, warning } = manager.registerGroup('g', { description: '', tools });

    expectTypeOf(ok).toEqualTypeOf<boolean>();
    expectTypeOf(error).toEqualTypeOf<ToolGroupError | undefined>();
    expectTypeOf(warning).toEqualTypeOf<'duplicate_group_id' | undefined>();
    expectTypeOf<() => typeof tools>().toExtend<ToolModule['getToolDefinitions']>();
  });

  it('hold for roles, modules and the runtime', () => {
    expectTypeOf<Role['llmServiceId']>().toEqualTypeOf<string | null>();
    expectTypeOf<Role>().toHaveProperty('toolGroups').toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<ToolModule['executeToolCall']>().returns.toBeUnknown();
    expectTypeOf<Runtime['getToolDefinitionsForAgent']>().returns.toEqualTypeOf<FunctionDefinition[]>();
    expectTypeOf<Runtime['executeToolCall']>().returns.resolves.toBeUnknown();
    expectTypeOf<RuntimeOptions['defaultToolGroups']>().toEqualTypeOf<'all' | readonly string[] | undefined>();
    expectTypeOf<RuntimeOptions['tools']>().toEqualTypeOf<readonly Tool[] | undefined>();
  });
});
