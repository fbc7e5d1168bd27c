import { faultsText } from '@x/core';
import { type FileBlock, jsonText, toAgentError } from '@x/core/internal';
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
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: object }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string };
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

/** Converts the result of a tool to an MCP result; a list of parts of such a result is taken as they are. @throws TypeError for a value that JSON cannot represent */
export function toMcpResult(value: unknown): McpResult {
  if (isContent(value)) return { content: JSON.parse(JSON.stringify(value)) };
  const { output, images = [], files = [] } = resultOfValue(value);
  const text = output === '' && images.length + files.length > 0 ? [] : [{ type: 'text' as const, text: output }];
  const pictures = images.map(({ data, mediaType }) => ({ type: 'image' as const, data, mimeType: mediaType }));
  const embedded = files.map((file) => ({ type: 'resource' as const, resource: resourceOf(file) }));
  const structured = structuredOf(value);
  return {
    content: [...text, ...pictures, ...embedded],
    ...(structured === undefined ? {} : { structuredContent: structured }),
  };
}

/** `EmbeddedResource`: it must have an address, and this one has no other than its name. */
function resourceOf({ name = 'file', mediaType, data }: FileBlock): object {
  return { uri: `file:///${encodeURIComponent(name)}`, mimeType: mediaType, blob: data };
}

/** Converts an error of a tool, or of the check of its parameters, to an MCP result: the model gets all faults, a program the code. */
export function toMcpError(thrown: unknown): McpResult {
  const { name, code, statusCode, details } = toAgentError(thrown).toJSON();
  const facts = { name, code, statusCode, ...(details === undefined ? {} : { details }) };
  return { content: [{ type: 'text', text: faultsText(thrown) }], isError: true, _meta: { 'agent-sdk/error': facts } };
}

/** Texts that each kind of part needs; the kinds that only MCP has decide, a list of texts alone is the tool's own. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource: [],
  resource_link: ['uri', 'name'],
};

function isContent(value: unknown): value is readonly McpContent[] {
  return Array.isArray(value) && value.every(isPart) && value.some(({ type }) => type !== 'text');
}

function isPart(part: unknown): part is McpContent {
  if (!isRecord(part)) return false;
  const { type, resource } = part;
  if (typeof type !== 'string' || !Object.hasOwn(NEEDED, type)) return false;
  if (type === 'resource') return isRecord(resource) && typeof resource['uri'] === 'string';
  return NEEDED[type]!.every((name) => typeof part[name] === 'string'); // it has one
}

/** A plain object as in JSON; lists and single values are in the text alone. */
function structuredOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(value)) return undefined;
  const written: unknown = JSON.parse(jsonText(value) ?? 'null');
  return isRecord(written) ? written : undefined;
}
