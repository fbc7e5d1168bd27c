import type { ExecutionOptions } from '@x/executor';

/** Query of `GET /v1/tools`. */
export interface ListToolsQuery {
  readonly category?: string;
  readonly tag?: string;
  readonly enabled?: boolean;
  /** From 1. Default: 1. */
  readonly page?: number;
  /** 1 to 100. Default: 50. */
  readonly limit?: number;
}

/** Body of `POST /v1/tools/search`. */
export interface SearchToolsRequest {
  readonly query: string;
  readonly filters?: { readonly category?: string; readonly tags?: readonly string[] };
  /** 1 to 100. Default: 20. */
  readonly limit?: number;
}

/** Body of `POST /v1/tools/call`. */
export interface ToolCallRequest {
  readonly name: string;
  /** Default: `{}`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly options?: Pick<ExecutionOptions, 'timeout' | 'retry' | 'retryDelay'>;
}

/** Answer to a call, a failed one too. */
export interface ToolCallResponse {
  readonly success: boolean;
  readonly result?: unknown;
  readonly error?: string;
  readonly code?: string;
  /** Milliseconds. */
  readonly executionTime?: number;
  /** ISO 8601. */
  readonly timestamp?: string;
}

/** The other specified name of `ToolCallRequest`. */
export type CallToolRequest = ToolCallRequest;
/** The other specified name of `ToolCallResponse`. */
export type CallToolResponse = ToolCallResponse;
