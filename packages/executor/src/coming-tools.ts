import type { AgentConfig, Tool } from '@x/core';

/** Keeps the tools of a run that come and go while it is under way; those that handlers have taken out at its beginning stay out. */
export class ComingTools {
  readonly #latest: () => readonly Tool[];
  #known: readonly Tool[];

  /** @param latest Gives the same list while nothing has changed. */
  constructor(latest: () => readonly Tool[]) {
    this.#latest = latest;
    this.#known = latest();
  }

  /** The tools as they are at the beginning. */
  get known(): readonly Tool[] {
    return this.#known;
  }

  /** Brings the configuration up to date; subagents that start later get the tools from there. */
  update(config: AgentConfig): void {
    const before = this.#known;
    const now = this.#latest();
    if (now === before) return;
    this.#known = now;
    const known = new Set(before.map(({ name }) => name));
    const offered = new Map(config.tools.map((meta) => [meta.tool.name, meta]));
    const coming = now.flatMap((tool) => {
      const meta = offered.get(tool.name);
      if (known.has(tool.name)) return meta ? [{ ...meta, tool: before.includes(tool) ? meta.tool : tool }] : [];
      return meta ? [] : [{ tool, returnDirectly: false }]; // another tool has this name
    });
    config.tools = [...config.tools.filter(({ tool }) => !known.has(tool.name)), ...coming];
  }
}
