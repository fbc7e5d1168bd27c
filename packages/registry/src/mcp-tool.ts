import type { JsonSchema, Tool } from '@x/core';
import { inputJsonOf } from './function-definition.ts';
import type { ToolMetadata } from './metadata.ts';

/** A tool in an MCP server's list (Model Context Protocol 2025-11-25, `Tool`). */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  /** Hints for the client; absent when nothing is known. */
  readonly annotations?: { readonly readOnlyHint: boolean; readonly idempotentHint?: boolean };
}

/** Converts a tool, or metadata, to an MCP tool descriptor. */
export function toMcpTool(tool: Tool | ToolMetadata): McpTool {
  return mcpTool(tool, inputJsonOf(tool));
}

/** Builds the descriptor. */
export function mcpTool(tool: Tool | ToolMetadata, json: JsonSchema): McpTool {
  const { name, description } = tool;
  return {
    name,
    description,
    inputSchema: mcpSchema(json),
    ...('kind' in tool ? { annotations: annotationsOf(tool) } : {}),
  };
}

/** `idempotentHint` is meaningful only for tools that change something. */
function annotationsOf({ kind, effect }: Tool): NonNullable<McpTool['annotations']> {
  return kind === 'readonly'
    ? { readOnlyHint: true }
    : { readOnlyHint: false, idempotentHint: effect !== 'non_idempotent' };
}

/** The protocol requires an object at the root, and clients expect properties that are objects, where JSON Schema allows booleans. */
function mcpSchema(json: JsonSchema): McpTool['inputSchema'] {
  const { properties } = json;
  if (typeof properties !== 'object' || properties === null) return { ...json, type: 'object' };
  const entries = Object.entries(properties).map(([name, schema]) => [name, asObject(schema)] as const);
  return { ...json, type: 'object', properties: Object.fromEntries(entries) };
}

function asObject(schema: unknown): unknown {
  if (schema === true) return {};
  return schema === false ? { not: {} } : schema;
}
