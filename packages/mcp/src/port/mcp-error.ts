import { AgentError } from '@x/core';

/** The cause of an `McpError`: what a program can do about it differs. */
export type McpErrorType =
  | 'NETWORK_TEMPORARY'
  | 'NETWORK_PERMANENT'
  | 'CONFIG_ERROR'
  | 'AUTH_ERROR'
  | 'PROTOCOL_ERROR'
  | 'UNKNOWN';

/** Facts of an `McpError`. */
export interface McpErrorOptions {
  readonly serverName: string;
  readonly errorType: McpErrorType;
  /** The path of the wrong part of a configuration. */
  readonly field?: string | undefined;
  readonly cause?: unknown;
}

/** A failure of an MCP server, of the way to it, or of its configuration. */
export class McpError extends AgentError {
  override readonly name = 'McpError';
  readonly serverName: string;
  readonly errorType: McpErrorType;
  declare readonly field?: string;

  constructor(message: string, { serverName, errorType, field, cause }: McpErrorOptions) {
    super(message, {
      code: 'MCP_ERROR',
      statusCode: 502,
      retryable: errorType === 'NETWORK_TEMPORARY',
      ...(cause === undefined ? {} : { cause }),
    });
    this.serverName = serverName;
    this.errorType = errorType;
    if (field !== undefined) this.field = field;
  }
}
