export {
  AbortError,
  AgentError,
  AuthenticationError,
  AuthorizationError,
  faultsText,
  isAgentError,
  MCPError,
  RateLimitError,
  SessionError,
  type SessionErrorCode,
  TimeoutError,
  ToolDisabledError,
  ToolError,
  ToolExecutionError,
  ToolNotFoundError,
  ValidationError,
  type ValidationIssue,
} from '@x/errors';
export type { JsonSchema, Schema } from '@x/json-schema';
export { defineTool, type ToolDefinition, type ToolOutput } from './define-tool.ts';
export type {
  AgentEvent,
  ContentMessage,
  ErrorMessage,
  ResultMessage,
  StreamMessage,
  ThinkingMessage,
  ToolResultMessage,
  ToolUseMessage,
  TurnEndMessage,
  TurnStartMessage,
  UsageMessage,
} from './event.ts';
export type {
  AgentConfig,
  AgentHandler,
  AnswerVerdict,
  ModelNext,
  RunAnswer,
  RunEnd,
  ToolMeta,
  ToolNext,
} from './handler.ts';
export type { Inbox, SendPriority } from './inbox.ts';
export type { CallState, Journal, RunRecord } from './journal.ts';
export { type Logger } from './logger.ts';
export {
  type AssistantMessage,
  type ImageBlock,
  type Message,
  type TextBlock,
  type ThinkingBlock,
  type TokenUsage,
  type ToolMessage,
  type ToolResultBlock,
  type ToolUseBlock,
  textOf,
  toolUsesOf,
  type UserMessage,
  userMessage,
} from './message.ts';
export type { Model, ModelRequest, ModelStream } from './model.ts';
export { objectSchema } from './object-schema.ts';
export type { Question } from './question.ts';
export { backoff, isContextOverflow, isRetryable, retryAfterMs, sleep } from './retry.ts';
export type { RunContext } from './run-context.ts';
export { standardSchema } from './schema.ts';
export type { Tool, ToolCall, ToolContext, ToolExecutionContext, ToolStream } from './tool.ts';
export type { ToolEffect, ToolKind, ToolResult } from './tool-result.ts';
export type {
  FetchOptions,
  FileKind,
  FileStat,
  ProcessExit,
  ProcessOutput,
  SpawnedProcess,
  SpawnOptions,
  Workspace,
} from './workspace.ts';
