export {
  AbortError,
  AgentError,
  type AgentErrorOptions,
  AuthenticationError,
  AuthorizationError,
  checkKeys,
  dottedPath,
  faultsText,
  isAgentError,
  issuesError,
  jsonPointer,
  knownNames,
  MCPError,
  messageOf,
  nearestName,
  pointerPart,
  RateLimitError,
  SessionError,
  type SessionErrorCode,
  shownNames,
  TimeoutError,
  ToolDisabledError,
  ToolError,
  type ToolErrorCall,
  ToolExecutionError,
  ToolNotFoundError,
  toAgentError,
  unknownParameter,
  ValidationError,
  type ValidationIssue,
} from '@x/errors';
export type { JsonSchema, Schema } from '@x/json-schema';
export { type Deadline, deadline, LONGEST_TIMER_MS, unlessAborted } from './bounded.ts';
export { closedWorkspace } from './closed-workspace.ts';
export { type CompactionRecord, compacted } from './compacted.ts';
export {
  defineTool,
  isTool,
  type ToolDefinition,
  type ToolOutput,
  type ToolOutputStream,
  toResult,
} from './define-tool.ts';
export type {
  AgentEvent,
  ContentMessage,
  ErrorMessage,
  InternalEvent,
  ResultMessage,
  StreamMessage,
  ThinkingMessage,
  ToolResultMessage,
  ToolUseMessage,
  TurnEndMessage,
  TurnStartMessage,
  UsageMessage,
  UserMessageMessage,
} from './event.ts';
export { type FailureFacts, failureFacts } from './failure-facts.ts';
export { frozen } from './frozen.ts';
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
export { type CommandsFound, foundText, notRun, unknownEffect } from './interrupted-calls.ts';
export type { CallState, Journal, RunRecord } from './journal.ts';
export { checkJsonValue } from './json-value.ts';
export { type Logger, quietly, silentLogger } from './logger.ts';
export {
  type AssistantMessage,
  addUsage,
  type ImageBlock,
  type Message,
  noUsage,
  type ProviderData,
  type TextBlock,
  type ThinkingBlock,
  type TokenUsage,
  type ToolMessage,
  type ToolResultBlock,
  type ToolUseBlock,
  textOf,
  toolMessage,
  toolUsesOf,
  type UserMessage,
  userMessage,
} from './message.ts';
export type { Model, ModelRequest, ModelStream } from './model.ts';
export { type Field, type ObjectOf, objectSchema } from './object-schema.ts';
export { type Present, present } from './present.ts';
export {
  type BackoffOptions,
  backoff,
  backoffMs,
  isContextOverflow,
  isRetryable,
  markRetried,
  retryAfterMs,
  sleep,
  wasRetried,
} from './retry.ts';
export { rootRun } from './root-run.ts';
export type { RunContext } from './run-context.ts';
export { runTool, valueOfResult } from './run-tool.ts';
export {
  type AnyStandardSchema,
  type OutputOf,
  standardSchema,
  toSchema,
  zodSchema,
} from './schema.ts';
export { applyRecord, emptyScope, type KnownCall, type ScopeState, unusedCallId } from './scope-records.ts';
export type { Tool, ToolCall, ToolContext, ToolExecutionContext, ToolStream } from './tool.ts';
export type { ToolEffect, ToolKind, ToolResult, ToolSubject } from './tool-result.ts';
export { type ToolSchema, toToolSchema } from './tool-schema.ts';
export type {
  FetchOptions,
  FileKind,
  FileStat,
  MarkedCommands,
  ProcessExit,
  ProcessOutput,
  SpawnedProcess,
  SpawnOptions,
  Workspace,
} from './workspace.ts';
