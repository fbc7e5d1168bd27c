import type { Tool } from '@x/core';
import { estimateText } from '@x/handlers/internal';
import type { Bm25Index, Searchable } from '@x/registry/internal';

/** Estimated tokens that names may take in each request; with more tools, only servers and numbers are listed. */
const MOST_NAME_TOKENS = 2_000;
const SERVER = /^mcp__(.+?)__/;

interface Entry extends Searchable {
  readonly tool: Tool;
}

/** By frozen list: sessions of a process that have the same tools search in one index. */
const ofLists = new WeakMap<readonly Tool[], DeferredTools>();

/** The tools of one request that are found instead of sent. */
export class DeferredTools {
  readonly tools: readonly Tool[];
  #index: Promise<Bm25Index<Entry>> | undefined;
  #overview: string | undefined;

  private constructor(tools: readonly Tool[]) {
    this.tools = tools;
  }

  static of(tools: readonly Tool[]): DeferredTools {
    let deferred = ofLists.get(tools);
    if (deferred) return deferred;
    deferred = new DeferredTools(tools);
    if (Object.isFrozen(tools)) ofLists.set(tools, deferred);
    return deferred;
  }

  /** Those that the query names exactly, then the best matches. */
  async search(query: string, limit: number): Promise<Tool[]> {
    const asked = new Set(query.split(/[\s,;:"'`()[\]]+/));
    const named = this.tools.filter(({ name }) => asked.has(name));
    const index = await (this.#index ??= indexOf(this.tools).catch((error: unknown) => {
      this.#index = undefined; // another search, perhaps of another session, tries again
      throw error;
    }));
    const found = index.search(query, { limit }).map(({ tool }) => tool);
    return [...new Set([...named, ...found])].slice(0, Math.max(limit, named.length));
  }

  /** What there is to find, in few words. */
  get overview(): string {
    return (this.#overview ??= this.#written());
  }

  #written(): string {
    const groups = Map.groupBy(
      this.tools.map(({ name }) => name),
      (name) => SERVER.exec(name)?.[1] ?? '',
    );
    const listed = [...groups.values()].map((names) => names.join(', ')).join('\n');
    if (estimateText(listed) <= MOST_NAME_TOKENS) return `Tools that can be found:\n${listed}`;
    const counted = [...groups].map(([group, names]) => `${group || 'other tools'} (${names.length})`);
    return `Tools that can be found, by server: ${counted.join(', ')}`;
  }
}

async function indexOf(tools: readonly Tool[]): Promise<Bm25Index<Entry>> {
  const { Bm25Index, parametersOf } = await import('@x/registry/internal'); // not before somebody searches
  const index = new Bm25Index<Entry>();
  for (const [place, tool] of tools.entries()) {
    const { name, description, inputSchema } = tool;
    index.add({ place, tool, metadata: { name, description, parameters: parametersOf(inputSchema.json) } });
  }
  return index;
}
