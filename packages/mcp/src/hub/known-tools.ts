import { hasSameItems } from '@x/core/internal';
import type { McpToolDefinition } from '../definitions/definition.ts';
import { hashOf } from '../definitions/hash.ts';
import { plainDefinition } from '../definitions/read-definitions.ts';
import type { McpServerConfig } from '../port/config.ts';
import type { McpPlace } from '../port/connection.ts';
import type { McpKnownServer, McpToolCache } from './tool-cache.ts';

/** What was known of the tools of one server before it was connected. */
export interface KnownTools {
  get(): McpKnownServer | undefined;
  set(definitions: readonly unknown[], hasResources: boolean): void;
}

/** The tools of a server in the cache, by the hash of all that says which server it is. */
export function knownTools(config: McpServerConfig, place: McpPlace, cache: McpToolCache): KnownTools {
  const { trusted: _, timeoutMs: _1, connectTimeoutMs: _2, totalTimeoutMs: _3, ...identity } = config;
  // A server of this process is there at once; who signs in may see other tools than the next one.
  const signsIn = 'authProvider' in config && config.authProvider !== undefined;
  if (config.type === 'sdk' || signsIn) return { get: () => undefined, set: () => undefined };
  const isProgram = config.type === undefined || config.type === 'stdio';
  const hash = hashOf([identity, isProgram ? [place.cwd, place.env] : []]);
  return {
    get: () => cache.get(hash),
    set: (definitions, resources) => cache.set(hash, { tools: plainList(definitions), resources }),
  };
}

/** Frozen: what is read from the list is remembered with it. The list itself when all of it is plain. */
function plainList(definitions: readonly unknown[]): readonly McpToolDefinition[] {
  const plain = Object.freeze(definitions.flatMap(plainOrNothing));
  const isSame = Object.isFrozen(definitions) && hasSameItems(plain, definitions);
  return isSame ? (definitions as readonly McpToolDefinition[]) : plain; // safe: it has the same items
}

function plainOrNothing(definition: unknown): McpToolDefinition[] {
  try {
    return [plainDefinition(definition)];
  } catch {
    return []; // reported when it was read
  }
}
