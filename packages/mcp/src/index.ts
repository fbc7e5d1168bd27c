export { type FileAuthOptions, fileAuthProvider } from './auth/file-auth-provider.ts';
export { createMcpHub, type McpHubOptions } from './create-mcp-hub.ts';
export type { McpProblem, McpToolDefinition } from './definitions/definition.ts';
export type { McpPin } from './definitions/tool-pins.ts';
export type { McpCompletion, McpCompletionRequest } from './hub/completion.ts';
export type {
  McpHub,
  McpItem,
  McpPrompt,
  McpReadyOptions,
  McpResource,
  McpResourceTemplate,
  McpWaitOptions,
} from './hub/hub-interface.ts';
export type { McpResourceListener } from './hub/resource-subscriptions.ts';
export { type McpKnownServer, type McpToolCache, memoryToolCache } from './hub/tool-cache.ts';
export type { McpNotice, McpReconnectOptions, McpServerStatus, McpToolInfo } from './hub/types.ts';
export type { McpAuthClient, McpAuthProvider, McpAuthTokens } from './port/auth-provider.ts';
export type {
  McpHttpServerConfig,
  McpRemoteServerBase,
  McpSdkServerConfig,
  McpServerBase,
  McpServerConfig,
  McpServerInstance,
  McpSSEServerConfig,
  McpStdioServerConfig,
} from './port/config.ts';
export type {
  McpHostHandler,
  McpHostHandlers,
  McpLaunch,
  McpLogEntry,
  McpLogLevel,
  McpRoot,
} from './port/connection.ts';
export type { McpLimits } from './port/limits.ts';
export { McpError, type McpErrorOptions, type McpErrorType } from './port/mcp-error.ts';
