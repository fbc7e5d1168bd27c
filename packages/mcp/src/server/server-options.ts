import type { OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import { type McpServedPrompt, PROMPTS } from './served-prompts.ts';
import { type McpServedResource, RESOURCES } from './served-resources.ts';
import type { McpToolSource } from './tool-source.ts';

/** Facts of a server of tools, by which its clients know it. */
export interface McpServerOptions {
  /** Default: `agent-sdk`. */
  readonly name?: string;
  /** Default: `1.0.0`. */
  readonly version?: string;
  /** Tells the client's model how the tools are used together. Default: nothing. */
  readonly instructions?: string;
  /** Tools in one answer to `tools/list`, and items of the other lists. Default: 500; many clients ask for the first page alone. */
  readonly pageSize?: number;
  /** Documents next to the tools. Default: none, and none are announced. */
  readonly resources?: readonly McpServedResource[];
  /** Prompts next to the tools. Default: none, and none are announced. */
  readonly prompts?: readonly McpServedPrompt[];
  /** Called with what `read` and `get` of these throw; what it throws itself is ignored. Default: nobody is told. */
  readonly onError?: (error: unknown, request: { readonly method: string; readonly name: string }) => void;
}

/** Options of a server over HTTP. */
export interface ServeToolsOptions extends McpServerOptions {
  /** Conversations of one owner at once. Beyond it the one that was idle for longest ends; when none is idle, a new one is refused. Default: 1,000. */
  readonly maxSessions?: number;
  /** Milliseconds without a request after which a conversation ends, unless its event stream is open. Default: 30 minutes. */
  readonly sessionIdleMs?: number;
}

/** The facts with their defaults. */
export interface ServerFacts {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly pageSize: number;
  readonly resources: readonly McpServedResource[] | undefined;
  readonly prompts: readonly McpServedPrompt[] | undefined;
  readonly onError: McpServerOptions['onError'];
}

export const SERVER: OptionRules<McpServerOptions> = {
  name: is.words,
  version: is.words,
  instructions: is.text,
  pageSize: is.count(),
  resources: RESOURCES,
  prompts: PROMPTS,
  onError: is.callback,
};
export const SERVE_TOOLS: OptionRules<ServeToolsOptions> = {
  ...SERVER,
  maxSessions: is.count(),
  sessionIdleMs: is.count(),
};

export function factsOf(options: McpServerOptions): ServerFacts {
  const { name = 'agent-sdk', version = '1.0.0', instructions, pageSize = 500, resources, prompts, onError } = options;
  return { name, version, instructions, pageSize, resources, prompts, onError };
}

/** @throws ValidationError */
export function checkSource(source: McpToolSource): void {
  const rule = is.having('a ToolRegistry, or another source of tools', 'mcpTools', 'callMcpTool', 'onChange');
  is.checkOptions('What is served', { source }, { source: is.required(rule) });
}
