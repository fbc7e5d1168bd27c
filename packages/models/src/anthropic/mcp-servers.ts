import type { Message, ModelRequest } from '@x/core';
import type { ServiceMcpServer, ServiceTool } from '@x/core/internal';
import { type OptionFields, refusedOption } from '../wire/option-fields.ts';
import { MCP_STEP } from '../wire/service-steps.ts';
import { PROVIDER } from './provider-data.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The version of servers and their blocks (platform.claude.com, "MCP connector"). */
const BETA = 'mcp-client-2025-11-20';

/** The tools of a server. @throws ValidationError for headers */
export function mcpToolset({ name, headers, allowedTools }: ServiceMcpServer, model: string): Fields {
  if (headers) throw refusedOption('serviceTools', model, 'the messages API has no headers for mcp; use authorization');
  const bounds = allowedTools && {
    default_config: { enabled: false },
    configs: Object.fromEntries(allowedTools.map((tool) => [tool, { enabled: true }])),
  };
  return { type: 'mcp_toolset', mcp_server_name: name, ...bounds };
}

/** Options of a model on a cloud, where Anthropic talks to no servers (platform.claude.com, "MCP connector"). */
export function withoutServers({ places, fieldsOf }: OptionFields, model: string): OptionFields {
  return {
    places,
    fieldsOf(options) {
      if (!options.serviceTools?.some(({ type }) => type === 'mcp')) return fieldsOf(options);
      throw refusedOption('serviceTools', model, 'on a cloud it has no mcp; use mcpServers of the session');
    },
  };
}

/** The field of the servers; none without one. */
export function mcpServers(tools: readonly ServiceTool[]): Fields {
  const servers = tools.filter((tool) => tool.type === 'mcp');
  if (servers.length === 0) return {};
  return {
    mcp_servers: servers.map(({ name, url, authorization }) => ({
      type: 'url',
      name,
      url,
      ...(authorization === undefined ? {} : { authorization_token: authorization }),
    })),
  };
}

/** The header of a request with servers, or with blocks of them in its history, beside what the host has set there. */
export function mcpHeaders(
  { options, messages }: ModelRequest,
  { 'anthropic-beta': given = '' }: Fields & { readonly 'anthropic-beta'?: string },
): Readonly<Record<string, string>> | undefined {
  const isAsked = options?.serviceTools?.some(({ type }) => type === 'mcp') ?? false;
  if (given.includes('mcp-client-') || !(isAsked || hasMcp(messages))) return undefined;
  return { 'anthropic-beta': given === '' ? BETA : `${given}, ${BETA}` };
}

interface Looked {
  readonly upTo: number;
  readonly has: boolean;
}
/** By the first message, which identifies a conversation: each request asks, and a long history is looked through once. */
const conversations = new WeakMap<Message, Looked>();

function hasMcp(messages: readonly Message[]): boolean {
  const [first] = messages;
  if (!first) return false;
  const before = conversations.get(first);
  const isLonger = before !== undefined && before.upTo <= messages.length;
  let has = before?.has ?? false;
  for (let at = isLonger ? before.upTo : 0; !has && at < messages.length; at++) {
    const { role, content } = messages[at]!; // at < length
    has = role === 'assistant' && content.some(isMcpStep);
  }
  conversations.set(first, { upTo: messages.length, has });
  return has;
}

function isMcpStep(block: Message['content'][number]): boolean {
  if (block.type !== 'thinking' || block.serviceTool?.name !== MCP_STEP) return false;
  return block.providerData?.provider === PROVIDER;
}
