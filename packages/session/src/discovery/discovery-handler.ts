import type { AgentConfig, AgentHandler, ModelRequest, RunContext, Tool } from '@x/core';
import { estimateTool } from '@x/handlers/internal';
import { namedStream, SaidHistory } from './call-by-name.ts';
import { DeferredTools } from './deferred-tools.ts';
import type { ToolDiscoveryOptions } from './discovery-options.ts';
import { callTool, toolSearchTool, withNames } from './discovery-tools.ts';

export interface DiscoverySubjects {
  /** True for a tool of a server. */
  readonly isOfServer: (name: string) => boolean;
  /** True for a tool of the host. */
  readonly isOfHost: (name: string) => boolean;
}

/** Which tools are more than the threshold. */
interface Above {
  readonly servers: boolean;
  readonly host: boolean;
}
/** The tools of a request: those that are sent, and those that are found. */
interface View {
  readonly sent: readonly Tool[];
  readonly deferred?: DeferredTools;
  readonly history?: SaidHistory;
}

/** The handler of `toolDiscovery`, and the two tools it offers. One for all runs of a session: what is deferred once stays so. */
export interface Discovery {
  readonly handler: AgentHandler;
  /** True for the two tools: lists of names and roles are about the tools that are found with them. */
  readonly isOwn: (tool: Tool | undefined) => boolean;
  /** Those of the tools of a run that are sent. */
  readonly sentTools: (tools: readonly Tool[], run: RunContext) => readonly Tool[];
}

/**
 * Sends a search tool instead of many definitions. The model calls what it has found through one further tool; everything but the model
 * sees a call of the tool itself. So the tools of a request stay the same, byte by byte, whatever is found.
 */
export function discovery(
  { mode, thresholdTokens, maxResults }: Required<ToolDiscoveryOptions>,
  { isOfServer, isOfHost }: DiscoverySubjects,
): Discovery {
  const views = new WeakMap<readonly Tool[], View>();
  const latest = new WeakMap<RunContext, View>();
  /** The tools with which a run begins: a search that has waited for an answer comes before the first model call. */
  const first = new WeakMap<RunContext, readonly Tool[]>();
  const search = toolSearchTool((run) => (latest.get(run) ?? viewOf(first.get(run) ?? [], run)).deferred, maxResults);
  const own: readonly Tool[] = [search, callTool];
  const isOwn = (tool: Tool | undefined) => tool !== undefined && own.includes(tool);
  /** Of the agent itself, for the rest of the session: tools that come and go do not change what was sent. */
  let lasting: Above = { servers: false, host: false };

  return {
    handler: { name: 'tool-discovery', beforeAgent, wrapModelCall },
    isOwn,
    sentTools: (tools, run) => viewOf(tools, run).sent,
  };

  function beforeAgent(config: AgentConfig, run: RunContext): void {
    config.tools.push(...own.map((tool) => ({ tool, returnDirectly: false })));
    first.set(
      run,
      config.tools.map(({ tool }) => tool),
    );
  }

  function wrapModelCall(
    request: ModelRequest,
    next: Parameters<NonNullable<AgentHandler['wrapModelCall']>>[1],
    run: RunContext,
  ) {
    let view = views.get(request.tools);
    if (!view) views.set(request.tools, (view = viewOf(request.tools, run)));
    latest.set(run, view);
    const { sent: tools, history } = view;
    return history
      ? namedStream(next({ ...request, tools, messages: history.of(request.messages) }))
      : next({ ...request, tools });
  }

  function viewOf(all: readonly Tool[], run: RunContext): View {
    const tools = all.filter((tool) => !isOwn(tool));
    if (tools.length + own.length !== all.length) return { sent: tools }; // a subagent without the search
    const above = aboveIn(tools, run);
    const isDeferred = ({ name }: Tool) => (above.servers && isOfServer(name)) || (above.host && isOfHost(name));
    const deferred = new DeferredTools(tools.filter(isDeferred));
    if (deferred.tools.length === 0) return { sent: tools };
    const sent = [...tools.filter((tool) => !isDeferred(tool)), withNames(search, deferred), callTool];
    const names = new Set(sent.map(({ name }) => name));
    return { sent, deferred, history: new SaidHistory((name) => names.has(name)) };
  }

  function aboveIn(tools: readonly Tool[], { depth }: RunContext): Above {
    if (mode === 'always') return { servers: true, host: true };
    const host = tokensOf(tools.filter(({ name }) => isOfHost(name)));
    const servers = tokensOf(tools.filter(({ name }) => isOfServer(name)));
    const above = { servers: host + servers > thresholdTokens, host: host > thresholdTokens };
    if (depth > 0) return above;
    lasting = { servers: lasting.servers || above.servers, host: lasting.host || above.host };
    return lasting;
  }
}

/** Estimated tokens of definitions. */
export function tokensOf(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + estimateTool(tool), 0);
}
