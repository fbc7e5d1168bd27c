export type { ClientSession, FollowOptions, ForkOptions, MessagePage, MessagesOptions } from './client-session.ts';
export type { ClientSessions, CreateOptions, ListedSessions, ListSessionsOptions } from './client-sessions.ts';
export type {
  CallToolOptions,
  ClientTools,
  FindToolsOptions,
  FoundTools,
  ServedTool,
  ServedTools,
  WithSignal,
} from './client-tools.ts';
export { type Client, type ClientOptions, createClient } from './create-client.ts';
export { HttpError } from './http-error.ts';
export type { RunOptions } from './streamed-run.ts';
