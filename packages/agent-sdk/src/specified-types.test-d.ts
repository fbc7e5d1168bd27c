import { describe, expectTypeOf, it } from 'vitest';
import {
  type AgentDefinition,
  type AnthropicConfig,
  type AzureOpenAIConfig,
  type CanUseTool,
  type ContentMessage,
  type ErrorMessage,
  type ForkOptions,
  type ForkSessionOptions,
  forkSession,
  type GeminiConfig,
  type HookCallback,
  type HookCallbackMatcher,
  type HookConfig,
  type HookEvent,
  type HookInput,
  type HookOutput,
  type ISession,
  type Message,
  type ModelInfo,
  type OpenAICompatibleConfig,
  type PermissionMode,
  type PermissionResult,
  type PromptResult,
  type ProviderConfig,
  type ResultMessage,
  type ResumeOptions,
  resumeSession,
  type SendOptions,
  type SessionOptions,
  type SlashCommand,
  type StreamMessage,
  type StreamOptions,
  type ThinkingMessage,
  type TokenUsage,
  type ToolCallRecord,
  type ToolDefinition,
  type ToolExecutionContext,
  type ToolResultMessage,
  type ToolUseMessage,
  type TurnEndMessage,
  type TurnStartMessage,
  type UsageMessage,
} from './index.ts';

type Kind = 'readonly' | 'write' | 'execute';

describe('options that were made', () => {
  it('may be changed until they are given, as in the specification', () => {
    const options: SessionOptions = { provider: { type: 'openai-compatible', apiKey: 'k' }, model: 'm' };
    const tools: ToolDefinition[] = [];

    options.maxTurns = 5;
    options.tools = tools;

    expectTypeOf(options).toEqualTypeOf<SessionOptions>();
  });
});

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

describe('the functions on sessions', () => {
  const base = { provider: { type: 'openai-compatible', apiKey: 'xxx' }, model: 'gpt-4o-mini' } as const;

  it('are called as documented', () => {
    const sessions = [
      () => resumeSession({ sessionId: 'existing-session-id', ...base }),
      () => forkSession({ sessionId: 'existing-session-id', messageId: 'msg-uuid-123', ...base }),
      (session: ISession) => session.fork({ messageId: 'msg-uuid' }),
    ];

    expectTypeOf<ReturnType<(typeof sessions)[number]>>().toEqualTypeOf<Promise<ISession>>();
  });

  it('have the documented shapes under the documented names', () => {
    expectTypeOf<SessionOptions & { sessionId: string }>().toExtend<ResumeOptions>();
    expectTypeOf<ResumeOptions & { messageId?: string; copyCheckpoints?: boolean }>().toExtend<ForkOptions>();
    expectTypeOf<{ messageId?: string; copyCheckpoints?: boolean }>().toExtend<ForkSessionOptions>();
    expectTypeOf<{ signal?: AbortSignal; maxTurns?: number }>().toExtend<SendOptions>();
    expectTypeOf<{ includeThinking?: boolean }>().toExtend<StreamOptions>();
    expectTypeOf<SlashCommand>().toExtend<{ name: string; description: string; usage?: string }>();
    expectTypeOf<ModelInfo>().toExtend<{ id: string; name: string; provider: string; maxTokens?: number }>();
    expectTypeOf<ISession>().toExtend<AsyncDisposable>();
    expectTypeOf<ISession['sessionId']>().toBeString();
    expectTypeOf<ISession['messages']>().toEqualTypeOf<Message[]>();
    expectTypeOf<ReturnType<ISession['abort']>>().toBeVoid();
    expectTypeOf<ReturnType<ISession['stream']>>().toExtend<AsyncGenerator<StreamMessage>>();
    expectTypeOf<ReturnType<ISession['fork']>>().toEqualTypeOf<Promise<ISession>>();
    expectTypeOf<ReturnType<ISession['supportedCommands']>>().toEqualTypeOf<Promise<SlashCommand[]>>();
    expectTypeOf<ReturnType<ISession['supportedModels']>>().toEqualTypeOf<Promise<ModelInfo[]>>();
  });
});

describe('the types of providers, events and answers', () => {
  it('have the documented shapes under the documented names', () => {
    expectTypeOf<{ type: 'openai-compatible'; apiKey: string; baseUrl?: string }>().toExtend<OpenAICompatibleConfig>();
    expectTypeOf<{ type: 'anthropic'; apiKey: string }>().toExtend<AnthropicConfig>();
    expectTypeOf<{ type: 'gemini'; apiKey: string }>().toExtend<GeminiConfig>();
    expectTypeOf<{
      type: 'azure-openai';
      apiKey: string;
      baseUrl: string;
      apiVersion?: string;
    }>().toExtend<AzureOpenAIConfig>();
    expectTypeOf<ProviderConfig>().toExtend<SessionOptions['provider']>();
    expectTypeOf<
      | TurnStartMessage
      | TurnEndMessage
      | ContentMessage
      | ThinkingMessage
      | ToolUseMessage
      | ToolResultMessage
      | UsageMessage
      | ResultMessage
      | ErrorMessage
    >().toExtend<StreamMessage>();
    expectTypeOf<PromptResult>().toExtend<{
      result: string;
      toolCalls: ToolCallRecord[];
      usage: TokenUsage;
      duration: number;
      turnsCount: number;
    }>();
    expectTypeOf<TokenUsage>().toExtend<{ inputTokens: number; outputTokens: number; totalTokens: number }>();
  });
});
