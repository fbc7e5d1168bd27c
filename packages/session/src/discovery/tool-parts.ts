import type { Tool } from '@x/core';
import { estimateTool } from '@x/handlers/internal';

/** Whose a tool is. */
export interface ToolOwners {
  /** True for a tool of a server. */
  readonly isOfServer: (name: string) => boolean;
  /** True for a tool of the host. */
  readonly isOfHost: (name: string) => boolean;
  /** The tools of servers that were offered last. */
  readonly serverTools: () => readonly Tool[];
}
/** The tools of a request, in pieces that keep their order. */
export interface ToolParts {
  /** All tools of servers, as they were offered: a frozen list, known to sessions of the whole process. Absent when they are among the others. */
  readonly servers?: readonly Tool[];
  /** The others before these, and behind them. */
  readonly others: readonly [readonly Tool[], readonly Tool[]];
}
/** Which tools are more than the threshold. */
export interface Above {
  readonly servers: boolean;
  readonly host: boolean;
}

export const NONE_ABOVE: Above = { servers: false, host: false };
const NONE: readonly Tool[] = [];

/** Thousands of tools are looked at one by one only when handlers have made another list of them. */
export function partsOf(tools: readonly Tool[], { serverTools }: ToolOwners): ToolParts {
  const servers = serverTools();
  const at = Object.isFrozen(servers) ? placeOf(servers, tools) : -1;
  if (at === -1) return { others: [tools, NONE] };
  return { servers, others: [tools.slice(0, at), tools.slice(at + servers.length)] };
}

/** The place of all of a list within another; -1 for a list that is not there, or empty. */
function placeOf(some: readonly Tool[], all: readonly Tool[]): number {
  const at = some.length === 0 ? -1 : all.indexOf(some[0]!); // it has one
  for (let index = 1; at !== -1 && index < some.length; index++) if (all[at + index] !== some[index]) return -1;
  return at;
}

/** The tools of which each satisfies the condition, those of servers together. */
function partOf(
  { servers = NONE, others: [before, behind] }: ToolParts,
  { isChosen, areServersChosen }: { readonly isChosen: (tool: Tool) => boolean; readonly areServersChosen: boolean },
): readonly Tool[] {
  const pieces = [before.filter(isChosen), areServersChosen ? servers : NONE, behind.filter(isChosen)];
  const [only, second] = pieces.filter(({ length }) => length > 0);
  return second ? pieces.flat() : (only ?? NONE);
}

/** True for a tool that is found instead of sent. */
function isDeferred({ name }: Tool, { isOfServer, isOfHost }: ToolOwners, above: Above): boolean {
  return (above.servers && isOfServer(name)) || (above.host && isOfHost(name));
}

/** The tools that are found instead of sent: the list of servers itself when there are no others. */
export function laterTools(parts: ToolParts, owners: ToolOwners, above: Above): readonly Tool[] {
  const isChosen = (tool: Tool) => isDeferred(tool, owners, above);
  return partOf(parts, { isChosen, areServersChosen: above.servers });
}

/** The tools that are sent. */
export function shownTools(parts: ToolParts, owners: ToolOwners, above: Above): readonly Tool[] {
  const isChosen = (tool: Tool) => !isDeferred(tool, owners, above);
  return partOf(parts, { isChosen, areServersChosen: !above.servers });
}

export function aboveThreshold(parts: ToolParts, { isOfServer, isOfHost }: ToolOwners, threshold: number): Above {
  let all = parts.servers ? tokensUpTo(threshold, parts.servers) : 0;
  let host = 0;
  for (const tool of parts.others.flat()) {
    const ofHost = isOfHost(tool.name);
    if (ofHost ? host > threshold : all > threshold || !isOfServer(tool.name)) continue; // enough is known, or it stays
    const tokens = estimateTool(tool);
    all += tokens;
    if (ofHost) host += tokens;
  }
  return { servers: all > threshold, host: host > threshold };
}

/** By frozen list. */
const counted = new WeakMap<readonly Tool[], { readonly tokens: number; readonly isWhole: boolean }>();

/** Estimated tokens of the first tools, as many as it takes to be above the threshold. */
function tokensUpTo(threshold: number, tools: readonly Tool[]): number {
  const known = counted.get(tools);
  if (known && (known.isWhole || known.tokens > threshold)) return known.tokens;
  let tokens = 0;
  const isWhole = tools.every((tool) => (tokens += estimateTool(tool)) <= threshold);
  counted.set(tools, { tokens, isWhole });
  return tokens;
}

/** Estimated tokens of definitions. */
export function tokensOf(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + estimateTool(tool), 0);
}
