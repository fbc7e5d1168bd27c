import type { ServiceTool, ServiceToolStep } from '@x/core/internal';
import { recordOf } from '../wire/json-values.ts';
import { refusedOption } from '../wire/option-fields.ts';
import { foundTools, MCP_STEP, stepId } from '../wire/service-steps.ts';
import { toolInput } from '../wire/tool-input.ts';
import type { Fields } from './carried-item.ts';
import { hasPicture } from './image-calls.ts';

/** Items that are calls of tools of the service, each with its result inside (platform.openai.com, "Using tools"). */
const CALLS = new Map([
  ['web_search_call', { name: 'web_search', input: 'action' }],
  ['code_interpreter_call', { name: 'code_interpreter', input: 'code' }],
  ['file_search_call', { name: 'file_search', input: 'queries' }],
  ['image_generation_call', { name: 'image_generation', input: 'revised_prompt' }],
]);

/** Searches deferred tools (developers.openai.com, "Tool search"). */
export const TOOL_SEARCH: Fields = { type: 'tool_search' };

/** A tool of the service in the words of responses. @throws ValidationError for one, or a field, that it does not have */
export function wireServiceTool(tool: ServiceTool, model: string): Fields {
  const refuse = (what: string) =>
    refusedOption('serviceTools', model, `the responses API has no ${what}; leave it out`);
  switch (tool.type) {
    case 'web_search': {
      if (tool.maxUses !== undefined) throw refuse('maxUses');
      if (tool.blockedDomains) throw refuse('blockedDomains');
      const filters = tool.allowedDomains && { filters: { allowed_domains: tool.allowedDomains } };
      const place = tool.place && { user_location: { type: 'approximate', ...tool.place } };
      return { type: 'web_search', ...filters, ...place };
    }
    case 'web_fetch':
      throw refuse('web_fetch, which is part of its web_search');
    case 'code_execution':
      return { type: 'code_interpreter', container: { type: 'auto' } };
    case 'file_search': {
      const most = tool.maxResults === undefined ? {} : { max_num_results: tool.maxResults };
      return { type: 'file_search', vector_store_ids: tool.stores, ...most };
    }
    case 'image_generation': {
      const { type, format, aspectRatio, ...fields } = tool;
      if (aspectRatio !== undefined) throw refuse('aspectRatio; give a size');
      if (tool.size?.endsWith('K')) throw refuse(`size ${tool.size}; give one such as 1024x1024`);
      return { type, ...fields, ...(format === undefined ? {} : { output_format: format }) };
    }
    case 'mcp': {
      const { type, name, url, allowedTools, ...access } = tool;
      const bounds = allowedTools && { allowed_tools: allowedTools };
      // nobody could answer a request for approval
      return { type, server_label: name, server_url: url, ...access, ...bounds, require_approval: 'never' };
    }
  }
}

/** The step that an item is; undefined for an item of no tool of the service. */
export function serviceToolStep(item: Fields): ServiceToolStep | undefined {
  if (item['type'] === 'tool_search_call' || item['type'] === 'tool_search_output') return searchStep(item);
  if (item['type'] === 'mcp_call') return mcpStep(item);
  const call = CALLS.get(String(item['type']));
  if (!call) return undefined;
  const { id, status } = item;
  const input = item[call.input];
  return {
    name: call.name,
    ...stepId(id),
    // a picture is there before its call is said to be complete
    state:
      status === 'completed' || hasPicture(item)
        ? 'done'
        : status === 'failed' || status === 'incomplete'
          ? 'failed'
          : 'called',
    ...(input === undefined || input === null ? {} : { input }),
  };
}

/** A call of a tool of a server; on some services it has no status. */
function mcpStep({ id, status, name, server_label: server, arguments: given, error, output }: Fields): ServiceToolStep {
  const isFailed = (error ?? undefined) !== undefined || status === 'failed' || status === 'incomplete';
  const isDone = status === 'completed' || (status === undefined && typeof output === 'string');
  const state = isFailed ? 'failed' : isDone ? 'done' : 'called';
  const input = typeof given === 'string' && given !== '' ? { arguments: toolInput(given, false) } : {};
  return { name: MCP_STEP, ...stepId(id), state, input: { server, tool: name, ...input } };
}

/** The one call whose result is an item of its own; what it has found are whole definitions, or groups of them. */
function searchStep({ type, call_id, status, arguments: input, tools }: Fields): ServiceToolStep {
  const step = { name: 'tool_search', ...stepId(call_id) };
  if (type === 'tool_search_call') return { ...step, state: 'called', ...(input === undefined ? {} : { input }) };
  const flat = Array.isArray(tools) ? tools.flatMap((one) => recordOf(one)?.['tools'] ?? one) : [];
  return { ...step, state: status === 'incomplete' ? 'failed' : 'done', ...foundTools(flat, 'name') };
}
