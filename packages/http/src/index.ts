export {
  defaultConfig,
  type LogLevel,
  loadConfig,
  type McpOptions,
  type NamedToken,
  type ServerConfig,
} from './config/server-config.ts';
export { createApp } from './create-app.ts';
export { createServer, type InjectableServer, type InjectedAnswer, type InjectedRequest } from './create-server.ts';
export type {
  CallToolRequest,
  CallToolResponse,
  ListToolsQuery,
  SearchToolsRequest,
  ToolCallRequest,
  ToolCallResponse,
} from './routes/messages.ts';
export { serve } from './serve.ts';
export { type ServeStdioOptions, serveStdio } from './serve-stdio.ts';
export type { HttpMeter } from './settings/http-meter.ts';
export type { HttpOptions } from './settings/http-options.ts';
export { type RunningServer, type ServeOptions } from './settings/serve-options.ts';
