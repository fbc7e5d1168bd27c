import { defineTool, objectSchema, type Tool, type ToolContext } from '@x/core';
import { isRecord } from '@x/errors';
import { cleanText } from '../definitions/clean-text.ts';
import { type Listed, listAll } from '../definitions/list-all.ts';
import { toolNameOf } from '../definitions/tool-name.ts';
import { resultOfCall } from './result-of-call.ts';

/** A request to the server, of a call. */
export type AskServer = (
  method: string,
  params: object,
  context: ToolContext,
) => Promise<Readonly<Record<string, unknown>>>;

/** A tool that the hub adds to those of a server. */
export interface AddedTool {
  /** As a tool of the server would be called. */
  readonly name: string;
  readonly tool: Tool;
}

/** Resources in one answer. */
const PAGE = 100;
/** Resources of one server in all. */
const MOST_LISTED = 10_000;

/**
 * Makes the tools with which a model finds and reads the resources of a server. Their texts are ours, so no server changes them; what they
 * answer is the server's. Readonly when the server is trusted.
 */
export function resourceTools(serverName: string, isTrusted: boolean, ask: AskServer): AddedTool[] {
  const kind = isTrusted ? 'readonly' : 'execute';
  const [list, read] = ['list_resources', 'read_resource'] as const;
  const lists = defineTool({
    name: toolNameOf(serverName, list),
    description: `Lists the resources of the MCP server ${serverName} (documents, records, files) with their URIs, ${PAGE} at a time. A URI with {names} is a template: fill them in.`,
    kind,
    inputSchema: objectSchema({
      offset: { type: 'integer', description: 'The first one to list, from 1.', minimum: 1, optional: true },
    }),
    execute: async ({ offset = 1 }, context) => pageOf(await listed(ask, context), offset),
  });
  const reads = defineTool({
    name: toolNameOf(serverName, read),
    description: `Reads a resource of the MCP server ${serverName} by its URI.`,
    kind,
    inputSchema: objectSchema({ uri: { type: 'string', description: 'As it was listed.' } }),
    execute: async ({ uri }, context) => {
      const { contents } = await ask('resources/read', { uri }, context);
      return resultOfCall({ content: Array.isArray(contents) ? contents.flatMap(partsOf) : [] });
    },
  });
  return [
    { name: list, tool: lists },
    { name: read, tool: reads },
  ];
}

/** Resources, then templates, which few servers have and many do not know. */
async function listed(ask: AskServer, context: ToolContext): Promise<Listed> {
  const list = (method: string, key: string) => listAll((params) => ask(method, params, context), key, MOST_LISTED);
  const resources = await list('resources/list', 'resources');
  const templates = await list('resources/templates/list', 'resourceTemplates').catch(() => undefined);
  context.signal.throwIfAborted();
  const items = [...resources.items, ...(templates?.items ?? [])].filter(isRecord);
  return { items, isCut: resources.isCut || templates?.isCut === true };
}

function pageOf({ items, isCut }: Listed, offset: number): string {
  const page = items.slice(offset - 1, offset - 1 + PAGE);
  const next = offset + page.length;
  const more = isCut ? ', and more that are not listed' : '';
  if (page.length === 0) return `There are ${items.length} resources${more}; offset ${offset} is past them.`;
  const rest = next <= items.length ? ` Go on with offset ${next}.` : '';
  return [...page.map(lineOf), `Resources ${offset} to ${next - 1} of ${items.length}${more}.${rest}`].join('\n');
}

function lineOf(item: unknown): string {
  const { uri, uriTemplate, name, mimeType, description } = item as Readonly<Record<string, unknown>>; // safe: `listed` keeps objects only
  const text = (value: unknown, most: number) => (typeof value === 'string' ? oneLine(value, most) : '');
  const about = [text(name, 100), text(mimeType, 100), text(description, 200)].filter((part) => part !== '');
  return `${text(uri ?? uriTemplate, 2_000)}  ${about.join(', ')}`.trim();
}

function oneLine(text: string, most: number): string {
  return cleanText(text, most).replaceAll(/\s+/g, ' ');
}

/** Of several parts each says which one it is. */
function partsOf(resource: unknown, _: number, all: readonly unknown[]): object[] {
  const part = { type: 'resource', resource };
  if (all.length === 1 || !isRecord(resource)) return [part];
  return [{ type: 'text', text: `${oneLine(String(resource['uri']), 2_000)}:` }, part];
}
