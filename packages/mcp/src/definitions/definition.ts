import type { JsonSchema } from '@x/core';

/** A tool as its server lists it (Model Context Protocol 2025-11-25, `Tool`), as plain data. */
export interface McpToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations?: McpAnnotations;
}
/** Hints of a server about a tool; they count only when the server is trusted. */
export interface McpAnnotations {
  readonly readOnlyHint?: boolean;
  readonly idempotentHint?: boolean;
}

/** Something about a server's tools that the host should know. */
export interface McpProblem {
  /** `changed` waits for an approval. `equal`: two tools would have one name. `cut`: a text was shortened. */
  readonly kind: 'left_out' | 'changed' | 'equal' | 'cut' | 'list';
  /** The server's name of the tool. */
  readonly name?: string;
  readonly message: string;
}
