export { defaultConfig, type LogLevel, loadConfig, type NamedToken, type ServerConfig } from './config.ts';
export { createApp } from './create-app.ts';
export { createServer, type InjectableServer, type InjectedAnswer, type InjectedRequest } from './create-server.ts';
export type { HttpOptions } from './http-options.ts';
export type {
  CallToolRequest,
  CallToolResponse,
  ListToolsQuery,
  SearchToolsRequest,
  ToolCallRequest,
  ToolCallResponse,
} from './messages.ts';
export { type RunningServer, type ServeOptions, serve } from './serve.ts';
