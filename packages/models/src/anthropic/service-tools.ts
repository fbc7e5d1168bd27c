import type { ServiceTool, ServiceToolStep } from '@x/core/internal';
import { recordOf, textIn } from '../wire/json-values.ts';
import { refusedOption } from '../wire/option-fields.ts';
import { foundTools, MCP_STEP, stepId, writtenFiles } from '../wire/service-steps.ts';
import { mcpToolset } from './mcp-servers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Results are `<name>_tool_result`, failed ones hold an object whose type ends so (platform.claude.com, "Server tools"). */
const RESULT = /^(.+)_tool_result$/;
const ERROR = /_error$/;

/** Searches the names, descriptions and arguments of deferred tools (platform.claude.com, "Tool search tool"). */
export const TOOL_SEARCH: Fields = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
/** The name of its calls; its results are named without the end. */
const SEARCH_CALL = /^(tool_search)_tool_[a-z0-9]+$/;

/** A tool of the service in the words of the messages API. @throws ValidationError for one that it does not have */
export function wireServiceTool(tool: ServiceTool, model: string): Fields {
  switch (tool.type) {
    case 'web_search': {
      const place = tool.place && { user_location: { type: 'approximate', ...tool.place } };
      return { type: 'web_search_20250305', name: 'web_search', ...bounds(tool), ...place };
    }
    case 'web_fetch':
      return { type: 'web_fetch_20250910', name: 'web_fetch', citations: { enabled: true }, ...bounds(tool) };
    case 'code_execution':
      return { type: 'code_execution_20250825', name: 'code_execution' };
    case 'mcp':
      return mcpToolset(tool, model);
    case 'file_search':
    case 'image_generation':
      throw refusedOption('serviceTools', model, `the messages API has no ${tool.type}; leave it out`);
  }
}

function bounds({ maxUses, allowedDomains, blockedDomains }: Extract<ServiceTool, { maxUses?: number }>): Fields {
  return {
    ...(maxUses === undefined ? {} : { max_uses: maxUses }),
    ...(allowedDomains ? { allowed_domains: allowedDomains } : {}),
    ...(blockedDomains ? { blocked_domains: blockedDomains } : {}),
  };
}

/** The step that a block is; undefined for a block of no tool of the service. */
export function serviceToolStep(block: Fields): ServiceToolStep | undefined {
  const type = textIn(block['type']);
  if (type === 'server_tool_use') {
    const { id, name, input } = block;
    const called = textIn(name).replace(SEARCH_CALL, '$1');
    return { name: called, ...stepId(id), state: 'called', ...(input === undefined ? {} : { input }) };
  }
  if (type === 'mcp_tool_use') {
    const { id, name: tool, server_name: server, input } = block;
    return { name: MCP_STEP, ...stepId(id), state: 'called', input: { server, tool, arguments: input } };
  }
  const name = RESULT.exec(type)?.[1];
  if (name === undefined) return undefined;
  const content = recordOf(block['content']);
  const isFailed = block['is_error'] === true || ERROR.test(textIn(content?.['type']));
  const found = foundTools(content?.['tool_references'], 'tool_name');
  const files = writtenFiles(content?.['content'], (output) => output['file_id']);
  return { name, ...stepId(block['tool_use_id']), state: isFailed ? 'failed' : 'done', ...found, ...files };
}
