export {
  type McpEndpoint,
  type McpHttpAnswer,
  type McpHttpRequest,
  serveTools,
} from './serve-tools.ts';
export type { McpPromptArgument, McpPromptMessage, McpServedPrompt } from './served-prompts.ts';
export type { McpReadContext, McpServedResource } from './served-resources.ts';
export type { McpServerOptions, ServeToolsOptions } from './server-options.ts';
export { type StdioServer, type StdioServerOptions, serveToolsOverStdio } from './stdio.ts';
export type {
  McpCallContext,
  McpCallTool,
  McpServedCall,
  McpServedResult,
  McpServedTool,
  McpToolSource,
} from './tool-source.ts';
