import type { Tool } from '@x/core';
import type { ReadTool } from '../definitions/read-definitions.ts';
import { type CallServer, mcpTool } from './mcp-tool.ts';
import { type AddedTool, type AskServer, resourceTools } from './resource-tools.ts';
import { serverOfRun } from './servers-of-run.ts';

/** The tools of one list of a server. */
export interface MadeTools {
  /** In the order of the list. */
  readonly own: readonly Tool[];
  /** Tools that read resources, those included that give way to one of the server. */
  readonly added: readonly AddedTool[];
  /** All that can be offered, in the order of their names. */
  readonly offered: readonly Tool[];
}

/** Makes the tools of one server. */
export interface ToolMaker {
  readonly make: (tool: ReadTool) => Tool;
  readonly added: () => readonly AddedTool[];
  /** Present when all who have the whole list may have the same tools. */
  readonly shared?: (tools: readonly ReadTool[], hasResources: boolean) => MadeTools;
}

/** The server's own tools keep their names. */
export function standing(tools: readonly ReadTool[], added: readonly AddedTool[]): readonly AddedTool[] {
  if (added.length === 0) return added;
  return added.filter(({ tool }) => !tools.some(({ toolName }) => toolName === tool.name));
}

export function madeTools(
  tools: readonly ReadTool[],
  own: readonly Tool[],
  added: readonly AddedTool[] = [],
): MadeTools {
  const more = standing(tools, added).map(({ tool }) => tool);
  if (more.length === 0) return { own, added, offered: own }; // those that were read are in the order of their names
  return { own, added, offered: [...own, ...more].toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
}

/** Makes tools that reach their server in one way, wherever they are called. */
export function ownTools(
  serverName: string,
  isTrusted: boolean,
  { call, ask }: { readonly call: CallServer; readonly ask: AskServer },
): ToolMaker {
  return {
    make: (tool) => mcpTool(tool, isTrusted, call),
    added: () => resourceTools(serverName, isTrusted, ask),
  };
}

interface Known {
  readonly tools: WeakMap<ReadTool, Tool>;
  readonly plain: WeakMap<readonly ReadTool[], MadeTools>;
  readonly withResources: WeakMap<readonly ReadTool[], MadeTools>;
}
const nothing = (): Known => ({ tools: new WeakMap(), plain: new WeakMap(), withResources: new WeakMap() });
/** Tools made so far, by the reading that they were made of: one store for trusted servers, one for others. */
const [ofTrusted, ofOthers] = [nothing(), nothing()];

/** Makes each tool once for all sessions of the process: a call goes to the server of this name in the session of its run. */
export function sharedTools(serverName: string, isTrusted: boolean): ToolMaker {
  const known = isTrusted ? ofTrusted : ofOthers;
  const call: CallServer = async (one, { run }) => await serverOfRun(serverName, run).call(one);
  const ask: AskServer = async (method, params, { run, signal }) =>
    await serverOfRun(serverName, run).ask(method, params, signal);
  const make = (read: ReadTool): Tool => {
    let tool = known.tools.get(read);
    // Frozen: who changed it in place would change it for all sessions.
    if (!tool) known.tools.set(read, (tool = Object.freeze(mcpTool(read, isTrusted, call))));
    return tool;
  };
  const added = () =>
    resourceTools(serverName, isTrusted, ask).map(({ name, tool }) => ({ name, tool: Object.freeze(tool) }));
  const shared = (tools: readonly ReadTool[], hasResources: boolean): MadeTools => {
    const lists = hasResources ? known.withResources : known.plain;
    let list = lists.get(tools);
    if (!list) {
      list = madeTools(tools, tools.map(make), hasResources ? added() : []);
      Object.freeze(list.offered);
      lists.set(tools, list);
    }
    return list;
  };
  return { make, added, shared };
}
