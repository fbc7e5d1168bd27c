/** A tool in the list of a server (Model Context Protocol 2025-11-25, `Tool`). */
export interface McpServedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' };
  readonly annotations?: object;
}

/** The parameters of `tools/call`. */
export interface McpServedCall {
  readonly name: string;
  /** Absent: no arguments. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** The answer to a call, a failed one too (`CallToolResult`). */
export interface McpServedResult {
  readonly content: readonly object[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly _meta?: object;
}

/** Facts of one call. */
export interface McpCallContext {
  /** Aborted when the client has cancelled the call, or is gone. */
  readonly signal: AbortSignal;
  /** Passes a text on to a client that follows the progress of the call; absent when nobody does. */
  readonly onProgress?: (text: string) => void;
}

/**
 * Runs a call. A failure of the tool is a result.
 * @throws AgentError what the protocol answers itself: a tool that is not known (404), and anything else as an internal error
 */
export type McpCallTool = (call: McpServedCall, context: McpCallContext) => Promise<McpServedResult>;

/** The tools that a server has at the moment; a `ToolRegistry` is one. */
export interface McpToolSource {
  /** The tools that can be called now. Each look asks again. */
  mcpTools(): readonly McpServedTool[];
  callMcpTool(...parameters: Parameters<McpCallTool>): ReturnType<McpCallTool>;
  /** Calls the listener after each change, until the returned function is called. */
  onChange(listener: () => void): () => void;
}
