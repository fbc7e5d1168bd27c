import type { McpToolDefinition } from '../definitions/definition.ts';

/** The definitions of a server from before it has answered. */
export interface McpKnownServer {
  readonly tools: readonly McpToolDefinition[];
  /** It has resources: the tools that read them are offered as well. */
  readonly resources: boolean;
}

/** Keeps what is known of servers by the hash of their configuration, so that their tools are offered before they have answered. */
export interface McpToolCache {
  get(hash: string): McpKnownServer | undefined;
  set(hash: string, known: McpKnownServer): void;
}

const MOST_SERVERS = 200;

/** Creates a cache in memory, for the last 200 configurations. */
export function memoryToolCache(): McpToolCache {
  const kept = new Map<string, McpKnownServer>();
  return {
    get(hash) {
      const known = kept.get(hash);
      if (known && kept.delete(hash)) kept.set(hash, known); // the last to be left out
      return known;
    },
    set(hash, known) {
      kept.delete(hash);
      kept.set(hash, known);
      const [oldest] = kept.keys();
      if (kept.size > MOST_SERVERS && oldest !== undefined) kept.delete(oldest);
    },
  };
}

let shared: McpToolCache | undefined;

/** The cache of this process: sessions that use the same servers share what is known of them. */
export function sharedToolCache(): McpToolCache {
  return (shared ??= memoryToolCache());
}
