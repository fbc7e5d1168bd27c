import { faultsText } from '@x/core';
import { toAgentError } from '@x/core/internal';
import { isRecord } from '@x/errors';
import { resultOfValue } from './invoked-tool.ts';

/** What an MCP client asks for (`tools/call`). */
export interface McpCall {
  readonly name: string;
  /** Absent: no arguments. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}
/** One part of an MCP result. */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };
/** What an MCP server answers (Model Context Protocol 2025-11-25, `CallToolResult`). */
export interface McpResult {
  readonly content: readonly McpContent[];
  /** The value itself, when it is an object. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  /** Of an error: what a program matches, under `agent-sdk/error`. */
  readonly _meta?: { readonly 'agent-sdk/error': McpErrorFacts };
}
/** The error of a call as plain data. */
export interface McpErrorFacts {
  readonly name: string;
  readonly code: string;
  readonly statusCode: number;
  readonly details?: unknown;
}

/** What a tool resolved with, as an MCP result. @throws TypeError for a value that JSON cannot carry */
export function toMcpResult(value: unknown): McpResult {
  const { output, images = [] } = resultOfValue(value);
  const text = output === '' && images.length > 0 ? [] : [{ type: 'text' as const, text: output }];
  const pictures = images.map(({ data, mediaType }) => ({ type: 'image' as const, data, mimeType: mediaType }));
  const structured = structuredOf(value);
  return { content: [...text, ...pictures], ...(structured === undefined ? {} : { structuredContent: structured }) };
}

/** What a tool, or the check of its parameters, threw, as an MCP result: the model reads all faults, a program the code. */
export function toMcpError(thrown: unknown): McpResult {
  const { name, code, statusCode, details } = toAgentError(thrown).toJSON();
  const facts = { name, code, statusCode, ...(details === undefined ? {} : { details }) };
  return { content: [{ type: 'text', text: faultsText(thrown) }], isError: true, _meta: { 'agent-sdk/error': facts } };
}

/** A plain object as JSON has it; lists and single values stand in the text alone. */
function structuredOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(value)) return undefined;
  const written: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  return isRecord(written) ? written : undefined;
}
