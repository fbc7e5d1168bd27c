import type { McpToolDefinition } from '../definitions/definition.ts';

/** Keeps the tools of servers by the hash of their configuration, so that they are offered before the server has answered. */
export interface McpToolCache {
  get(hash: string): readonly McpToolDefinition[] | undefined;
  set(hash: string, tools: readonly McpToolDefinition[]): void;
}

const MOST_SERVERS = 200;

/** Creates a cache in memory, for the last 200 configurations. */
export function memoryToolCache(): McpToolCache {
  const kept = new Map<string, readonly McpToolDefinition[]>();
  return {
    get: (hash) => kept.get(hash),
    set(hash, tools) {
      kept.delete(hash);
      kept.set(hash, tools);
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
