import { faultsText } from '@x/core';
import { toAgentError } from '@x/core/internal';
import { isRecord } from '@x/errors';
import { resultOfValue } from './invoked-tool.ts';

/** An MCP client's call (`tools/call`). */
export interface McpCall {
  readonly name: string;
  /** Absent: no arguments. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}
/** One part of an MCP result. */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };
/** An MCP server's answer (Model Context Protocol 2025-11-25, `CallToolResult`). */
export interface McpResult {
  readonly content: readonly McpContent[];
  /** The value itself, when it is an object. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  /** For an error: facts for programs, under `agent-sdk/error`. */
  readonly _meta?: { readonly 'agent-sdk/error': McpErrorFacts };
}
/** The error of a call as plain data. */
export interface McpErrorFacts {
  readonly name: string;
  readonly code: string;
  readonly statusCode: number;
  readonly details?: unknown;
}

/** Converts the result of a tool to an MCP result. @throws TypeError for a value that JSON cannot represent */
export function toMcpResult(value: unknown): McpResult {
  const { output, images = [] } = resultOfValue(value);
  const text = output === '' && images.length > 0 ? [] : [{ type: 'text' as const, text: output }];
  const pictures = images.map(({ data, mediaType }) => ({ type: 'image' as const, data, mimeType: mediaType }));
  const structured = structuredOf(value);
  return { content: [...text, ...pictures], ...(structured === undefined ? {} : { structuredContent: structured }) };
}

/** Converts an error of a tool, or of the check of its parameters, to an MCP result: the model gets all faults, a program the code. */
export function toMcpError(thrown: unknown): McpResult {
  const { name, code, statusCode, details } = toAgentError(thrown).toJSON();
  const facts = { name, code, statusCode, ...(details === undefined ? {} : { details }) };
  return { content: [{ type: 'text', text: faultsText(thrown) }], isError: true, _meta: { 'agent-sdk/error': facts } };
}

/** A plain object as in JSON; lists and single values are in the text alone. */
function structuredOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(value)) return undefined;
  const written: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  return isRecord(written) ? written : undefined;
}
