import { describe, expectTypeOf, it } from 'vitest';
import type {
  AgentDefinition,
  CanUseTool,
  HookCallback,
  HookCallbackMatcher,
  HookConfig,
  HookEvent,
  HookInput,
  HookOutput,
  PermissionMode,
  PermissionResult,
  SessionOptions,
  ToolCallRecord,
  ToolDefinition,
  ToolExecutionContext,
} from './index.ts';

type Kind = 'readonly' | 'write' | 'execute';

describe('the types of permissions, hooks and agents', () => {
  it('have the documented shapes under the documented names', () => {
    expectTypeOf<PermissionMode>().toEqualTypeOf<'default' | 'acceptEdits' | 'bypassPermissions' | 'plan'>();
    expectTypeOf<
      (toolName: string, input: unknown, options: { signal: AbortSignal; toolKind?: Kind }) => Promise<PermissionResult>
    >().toExtend<CanUseTool>();
    expectTypeOf<
      { behavior: 'allow' } | { behavior: 'deny'; message: string } | { behavior: 'ask' }
    >().toExtend<PermissionResult>();
    expectTypeOf<HookEvent>().toEqualTypeOf<
      | 'PreToolUse'
      | 'PostToolUse'
      | 'PostToolUseFailure'
      | 'Notification'
      | 'UserPromptSubmit'
      | 'SessionStart'
      | 'SessionEnd'
      | 'Stop'
      | 'SubagentStart'
      | 'SubagentStop'
      | 'Compaction'
      | 'PermissionRequest'
      | 'TaskCompleted'
    >();
    expectTypeOf<
      (input: HookInput, options: { signal: AbortSignal }) => Promise<HookOutput>
    >().toExtend<HookCallback>();
    expectTypeOf<
      { enabled?: boolean; defaultTimeout?: number } & { [event in HookEvent]?: HookCallbackMatcher[] }
    >().toExtend<HookConfig>();
    expectTypeOf<{
      name: string;
      description: string;
      systemPrompt?: string;
      model?: string;
      tools?: string[];
    }>().toExtend<AgentDefinition>();
    expectTypeOf<keyof AgentDefinition>().toEqualTypeOf<'name' | 'description' | 'systemPrompt' | 'model' | 'tools'>();
    expectTypeOf<ToolCallRecord>().toExtend<{ name: string; output: string; duration: number; isError: boolean }>();
    expectTypeOf<ToolExecutionContext>().toExtend<{ sessionId: string; cwd: string; signal: AbortSignal }>();
    expectTypeOf<ToolDefinition>().toHaveProperty('inputSchema');
  });

  it('are what the options of a session take', () => {
    expectTypeOf<SessionOptions['permissionMode']>().toEqualTypeOf<PermissionMode | undefined>();
    expectTypeOf<SessionOptions['canUseTool']>().toEqualTypeOf<CanUseTool | undefined>();
    expectTypeOf<SessionOptions['hooks']>().toEqualTypeOf<HookConfig | undefined>();
    expectTypeOf<AgentDefinition[]>().toExtend<NonNullable<SessionOptions['agents']>>();
  });
});
