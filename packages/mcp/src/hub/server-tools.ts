import type { Tool } from '@x/core';
import type { McpProblem } from '../definitions/definition.ts';
import { listHashOf, type ReadTool, readDefinitions, shownName } from '../definitions/read-definitions.ts';
import type { ToolPins } from '../definitions/tool-pins.ts';
import type { McpLimits } from '../port/limits.ts';
import { mcpTool, type ServerCall } from '../tools/mcp-tool.ts';
import { type AddedTool, type AskServer, resourceTools } from '../tools/resource-tools.ts';
import type { McpToolInfo } from './types.ts';

export interface ServerToolsSetup {
  readonly serverName: string;
  readonly isTrusted: boolean;
  readonly limits: Required<McpLimits>;
  readonly pins: ToolPins;
  /** Absent: resources are no concern of tools. */
  readonly askForResources?: AskServer | undefined;
  readonly call: (call: ServerCall) => Promise<Readonly<Record<string, unknown>>>;
}

/** What is known of the tools of one server, and which of them are offered. */
export class ServerTools {
  readonly #setup: ServerToolsSetup;
  #listHash: string | undefined;
  #tools: readonly ReadTool[] = [];
  #problems: readonly McpProblem[] = [];
  /** By identity: a tool that stays as it is stays the same object. */
  #made = new Map<string, Tool>();
  /** Those with which resources are read, while the server has some. */
  #added: readonly AddedTool[] = [];
  #offered: readonly Tool[] = [];
  #approved: ReadonlySet<string> = new Set();

  constructor(setup: ServerToolsSetup) {
    this.#setup = setup;
  }

  /** In the order of their names. */
  get offered(): readonly Tool[] {
    return this.#offered;
  }

  get approvedNames(): string[] {
    return this.infos.filter(({ approved }) => approved).map(({ name }) => name);
  }

  get infos(): McpToolInfo[] {
    const { serverName } = this.#setup;
    const own = this.#tools.map((tool) => {
      const { name, description, toolName } = tool;
      return { name, description, serverName, toolName, approved: this.#isApproved(tool) };
    });
    const added = this.#standing.map(({ name, tool: { description, name: toolName } }) => {
      return { name, description, serverName, toolName, approved: true };
    });
    return [...own, ...added].toSorted((one, other) => (one.toolName < other.toolName ? -1 : 1));
  }

  get problems(): readonly McpProblem[] {
    const changed = this.#tools.filter((tool) => !this.#isApproved(tool)).map(({ name }) => shownName(name));
    const equal = this.#added.filter((one) => !this.#standing.includes(one)).map(({ name }) => name);
    return [
      ...this.#problems,
      ...equal.map((name): McpProblem => {
        return {
          kind: 'equal',
          name,
          message: `${name} for resources is left out: the server has a tool of this name`,
        };
      }),
      ...changed.map((name): McpProblem => {
        return { kind: 'changed', name, message: `${name} has changed since it was first seen; it waits for approval` };
      }),
    ];
  }

  /** Takes a list. True when it is another one. */
  take(definitions: readonly unknown[], { isCut }: { readonly isCut: boolean }): boolean {
    const listHash = listHashOf(definitions, isCut);
    if (listHash === this.#listHash) return false;
    const { serverName, limits } = this.#setup;
    const { tools, problems } = readDefinitions(serverName, definitions, limits);
    const cut: McpProblem[] = isCut
      ? [{ kind: 'list', message: `the list has no end; its first ${definitions.length} tools were taken` }]
      : [];
    this.#listHash = listHash;
    this.#tools = tools;
    this.#problems = [...problems, ...cut];
    this.judge();
    return true;
  }

  /** Takes that the server has resources, or has none. True when that is new. */
  announce(hasResources: boolean): boolean {
    const { serverName, isTrusted, askForResources: ask } = this.#setup;
    if (!ask || hasResources === this.#added.length > 0) return false;
    this.#added = hasResources ? resourceTools(serverName, isTrusted, ask) : [];
    this.judge();
    return true;
  }

  /** Approves a tool that has changed, or all of them. False for an unknown name. */
  approve(name: string | undefined): boolean {
    const meant = this.#tools.filter((tool) => name === undefined || tool.name === name || tool.toolName === name);
    const { serverName, pins } = this.#setup;
    for (const tool of meant) {
      if (!this.#isApproved(tool)) pins.pin({ serverName, name: tool.name, hash: tool.hash });
    }
    this.judge();
    return name === undefined || meant.length > 0;
  }

  /** True while this very definition is listed and approved. */
  isCurrent({ hash, name }: ReadTool): boolean {
    return this.#approved.has(hash) && this.#tools.some((tool) => tool.name === name && tool.hash === hash);
  }

  /** Decides anew which tools are offered. True when they are others. */
  judge(): boolean {
    const { serverName, pins, isTrusted, call } = this.#setup;
    const approved = pins.admitted(serverName, this.#tools);
    const made = new Map<string, Tool>();
    for (const tool of approved) {
      made.set(tool.identity, this.#made.get(tool.identity) ?? mcpTool(tool, isTrusted, call));
    }
    this.#made = made;
    this.#approved = new Set(approved.map(({ hash }) => hash));
    const added = this.#standing.map(({ tool }) => tool);
    const all = [...made.values(), ...added]; // those that were read are in the order of their names
    const before = this.#offered;
    this.#offered = added.length === 0 ? all : all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return before.length !== all.length || this.#offered.some((tool, index) => tool !== before[index]);
  }

  /** The server's own tools keep their names. */
  get #standing(): readonly AddedTool[] {
    return this.#added.filter(({ tool }) => !this.#tools.some(({ toolName }) => toolName === tool.name));
  }

  #isApproved({ hash }: ReadTool): boolean {
    return this.#approved.has(hash);
  }
}
