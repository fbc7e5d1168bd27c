import type { AgentConfig, AgentHandler, ModelNext, ModelRequest, RunContext, Tool } from '@x/core';
import { hasSameItems } from '@x/core/internal';
import { ownHandler } from '@x/handlers/internal';
import { namedStream, SaidHistory } from './call-by-name.ts';
import { DeferredTools } from './deferred-tools.ts';
import type { ToolDiscoveryOptions } from './discovery-options.ts';
import { callTool, toolSearchTool, withNames } from './discovery-tools.ts';
import {
  type Above,
  aboveThreshold,
  laterTools,
  NONE_ABOVE,
  partsOf,
  shownTools,
  type ToolOwners,
  type ToolParts,
} from './tool-parts.ts';

/** The tools of a request: those that are sent, and those that are found. */
interface View {
  readonly sent: readonly Tool[];
  readonly deferred?: DeferredTools;
  readonly history?: SaidHistory;
  /** Tools that are sent where the service searches. */
  readonly shown?: readonly Tool[];
}

/** The handler of `toolDiscovery`, and the two tools it offers. One for all runs of a session: what is deferred once stays so. */
export interface Discovery {
  readonly handler: AgentHandler;
  /** The tool with which the model searches: rules and hooks may name it. */
  readonly search: Tool;
  /** True for the two tools: lists of names and roles are about the tools that are found with them. */
  readonly isOwn: (tool: Tool | undefined) => boolean;
  /** Those of the tools of a run that are sent. */
  readonly sentTools: (tools: readonly Tool[], run: RunContext) => readonly Tool[];
}

/**
 * Sends a search tool instead of many definitions, or leaves the search to the service of the model. The model calls what it has found through one further tool; everything but the model
 * sees a call of the tool itself. So the tools of a request stay the same, byte by byte, whatever is found.
 */
export function discovery(
  { mode, thresholdTokens, maxResults, by }: Required<ToolDiscoveryOptions>,
  owners: ToolOwners,
): Discovery {
  const views = new Views();
  const viewIn = (tools: readonly Tool[], run: RunContext) => views.of(tools, run.depth, () => viewOf(tools, run));
  /** The tools of a run; from its beginning on, because a search that has waited for an answer comes before the first model call. */
  const latest = new WeakMap<RunContext, () => readonly Tool[]>();
  const search = toolSearchTool((run) => viewIn(latest.get(run)?.() ?? [], run).deferred, maxResults);
  const own: readonly Tool[] = [search, callTool];
  const isOwn = (tool: Tool | undefined) => tool !== undefined && own.includes(tool);
  /** Of the agent itself, for the rest of the session: tools that come and go do not change what was sent. */
  let lasting = NONE_ABOVE;

  return {
    handler: ownHandler({ name: 'tool-discovery', beforeAgent, wrapModelCall }),
    search,
    isOwn,
    sentTools: (tools, run) => viewIn(tools, run).sent,
  };

  function beforeAgent(config: AgentConfig, run: RunContext): void {
    config.tools.push(...own.map((tool) => ({ tool, returnDirectly: false })));
    const tools = [...config.tools];
    latest.set(run, () => tools.map(({ tool }) => tool));
  }

  function wrapModelCall(request: ModelRequest, next: ModelNext, run: RunContext) {
    latest.set(run, () => request.tools);
    const { sent: tools, history, deferred, shown } = viewIn(request.tools, run);
    if (by === 'service' && deferred && shown && request.model?.defersTools) {
      return next({ ...request, tools: shown, deferredTools: deferred.tools });
    }
    return history
      ? namedStream(next({ ...request, tools, messages: history.of(request.messages) }))
      : next({ ...request, tools });
  }

  function viewOf(all: readonly Tool[], run: RunContext): View {
    const parts = partsOf(all, owners);
    const shownWith = (above: Above) => shownTools(parts, owners, above).filter((tool) => !isOwn(tool));
    if (parts.others.flat().filter(isOwn).length !== own.length) return { sent: shownWith(NONE_ABOVE) }; // a subagent without the search
    const above = aboveIn(parts, run);
    const later = laterTools(parts, owners, above);
    const shown = shownWith(above);
    if (later.length === 0) return { sent: shown };
    const deferred = DeferredTools.of(later);
    const sent = [...shown, withNames(search, deferred), callTool];
    const names = new Set(sent.map(({ name }) => name));
    return { sent, shown, deferred, history: new SaidHistory((name) => names.has(name)) };
  }

  function aboveIn(parts: ToolParts, { depth }: RunContext): Above {
    if (mode === 'always') return { servers: true, host: true };
    const above = aboveThreshold(parts, owners, thresholdTokens);
    if (depth > 0) return above;
    lasting = { servers: lasting.servers || above.servers, host: lasting.host || above.host };
    return lasting;
  }
}

/** Views by lists of tools; a run makes lists of the same tools more than once. */
class Views {
  readonly #known = new WeakMap<readonly Tool[], View>();
  #last: { readonly tools: readonly Tool[]; readonly depth: number; readonly view: View } | undefined;

  of(tools: readonly Tool[], depth: number, make: () => View): View {
    let view = this.#known.get(tools);
    if (view) return view;
    const last = this.#last;
    const isSame = last?.depth === depth && hasSameItems(last.tools, tools);
    view = isSame ? last.view : make();
    this.#known.set(tools, view);
    this.#last = { tools, depth, view };
    return view;
  }
}
