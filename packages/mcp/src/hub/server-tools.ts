import type { Tool } from '@x/core';
import { hasSameItems } from '@x/core/internal';
import type { McpProblem } from '../definitions/definition.ts';
import { listHashOf, type ReadTool, readDefinitions, shownName } from '../definitions/read-definitions.ts';
import type { ToolPins } from '../definitions/tool-pins.ts';
import type { McpLimits } from '../port/limits.ts';
import type { AddedTool } from '../tools/resource-tools.ts';
import { type MadeTools, madeTools, standing, type ToolMaker } from '../tools/tools-of-server.ts';
import type { McpToolInfo } from './types.ts';

export interface ServerToolsSetup {
  readonly serverName: string;
  readonly limits: Required<McpLimits>;
  readonly pins: ToolPins;
  /** False: resources are no concern of tools. */
  readonly hasResourceTools: boolean;
  readonly maker: ToolMaker;
}

/** A list of a server. */
interface Listing {
  /** It has no end. */
  readonly isCut: boolean;
  readonly resources: boolean;
}

const NO_TOOLS: readonly ReadTool[] = [];
const NOTHING_MADE: MadeTools = { own: [], added: [], offered: [] };

/** What is known of the tools of one server, and which of them are offered. */
export class ServerTools {
  readonly #setup: ServerToolsSetup;
  #listHash: string | undefined;
  #tools = NO_TOOLS;
  #problems: readonly McpProblem[] = [];
  #hasResources = false;
  /** The list itself while all of it is approved. */
  #approved = NO_TOOLS;
  /** Of those that are approved. */
  #made = NOTHING_MADE;

  constructor(setup: ServerToolsSetup) {
    this.#setup = setup;
  }

  /** In the order of their names. */
  get offered(): readonly Tool[] {
    return this.#made.offered;
  }

  get approvedNames(): string[] {
    return this.infos.filter(({ approved }) => approved).map(({ name }) => name);
  }

  get infos(): McpToolInfo[] {
    const { serverName } = this.#setup;
    const waiting = this.#waiting;
    const own = this.#tools.map((tool) => {
      const { name, description, toolName } = tool;
      return { name, description, serverName, toolName, approved: !waiting.has(tool) };
    });
    const added = this.#standing.map(({ name, tool: { description, name: toolName } }) => {
      return { name, description, serverName, toolName, approved: true };
    });
    return [...own, ...added].toSorted((one, other) => (one.toolName < other.toolName ? -1 : 1));
  }

  get problems(): readonly McpProblem[] {
    const changed = [...this.#waiting].map(({ name }) => shownName(name));
    const equal = this.#made.added.filter((one) => !this.#standing.includes(one)).map(({ name }) => name);
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

  /** Takes a list, and that the server has resources. True when that is new. */
  take(definitions: readonly unknown[], { isCut, resources }: Listing): boolean {
    const listHash = listHashOf(definitions, isCut);
    const hasResources = resources && this.#setup.hasResourceTools;
    if (listHash === this.#listHash && hasResources === this.#hasResources) return false;
    const { serverName, limits } = this.#setup;
    const { tools, problems } = readDefinitions(serverName, definitions, limits);
    const cut: McpProblem[] = isCut
      ? [{ kind: 'list', message: `the list has no end; its first ${definitions.length} tools were taken` }]
      : [];
    this.#listHash = listHash;
    this.#hasResources = hasResources;
    this.#tools = tools;
    this.#problems = [...problems, ...cut];
    this.judge();
    return true;
  }

  /** Approves a tool that has changed, or all of them. False for an unknown name. */
  approve(name: string | undefined): boolean {
    const meant = this.#tools.filter((tool) => name === undefined || tool.name === name || tool.toolName === name);
    const { serverName, pins } = this.#setup;
    const waiting = this.#waiting;
    const approved = meant.filter((tool) => waiting.has(tool));
    pins.pin(
      serverName,
      approved.map(({ name, hash }) => ({ serverName, name, hash })),
    );
    this.judge();
    return name === undefined || meant.length > 0;
  }

  /** True while this very definition is listed and approved. */
  isCurrent({ hash, name }: ReadTool): boolean {
    return this.#approved.some((tool) => tool.name === name && tool.hash === hash);
  }

  /** Decides anew which tools are offered. True when they are others. */
  judge(): boolean {
    const { serverName, pins } = this.#setup;
    const approved = pins.admitted(serverName, this.#tools);
    const before = this.#made;
    this.#made = this.#toolsOf(approved);
    this.#approved = approved;
    return !hasSameItems(this.#made.offered, before.offered);
  }

  /** By identity: a tool that stays as it is stays the same object. */
  #toolsOf(approved: readonly ReadTool[]): MadeTools {
    const { make, added, shared } = this.#setup.maker;
    const { own, added: addedBefore } = this.#made;
    const isFirst = own.length + addedBefore.length === 0;
    if (shared && isFirst && approved.length > 0 && approved === this.#tools)
      return shared(approved, this.#hasResources);
    const before = new Map(this.#approved.map(({ identity }, index) => [identity, own[index]]));
    const tools = approved.map((tool) => before.get(tool.identity) ?? make(tool));
    if (!this.#hasResources) return madeTools(this.#tools, tools);
    return madeTools(this.#tools, tools, addedBefore.length > 0 ? addedBefore : added());
  }

  get #standing(): readonly AddedTool[] {
    return standing(this.#tools, this.#made.added);
  }

  /** Tools that differ from their pins; nearly always none. */
  get #waiting(): ReadonlySet<ReadTool> {
    if (this.#approved === this.#tools) return new Set();
    const approved = new Set(this.#approved);
    return new Set(this.#tools.filter((tool) => !approved.has(tool)));
  }
}
