import {
  type AgentConfig,
  AgentError,
  type AgentHandler,
  type RunContext,
  type ToolMeta,
  ValidationError,
} from '@x/core';
import { hasSameItems, isTool, isUserMessage } from '@x/core/internal';
import { thrownBy } from './handler-fault.ts';
import { isOwnHandler } from './own-handler.ts';

/** The config as the handlers leave it, none of whose lists is the caller's. @throws what a handler throws; AgentError `HANDLER_ERROR` */
export async function passedConfig(
  config: AgentConfig,
  handlers: readonly AgentHandler[],
  run: RunContext,
): Promise<AgentConfig> {
  let current = config;
  let hasOwnTools = true; // the first handler gets the caller's config itself
  for (const handler of handlers) {
    if (!handler.beforeAgent) continue;
    const isOwn = isOwnHandler(handler);
    if (!isOwn && !hasOwnTools) current = withOwnTools(current);
    try {
      const left = (await handler.beforeAgent(current, run)) ?? current;
      // A standard handler keeps of it what it counts, and edits no tool: a copy of each of thousands of tools would serve nobody.
      const isKept = isOwn && left === current;
      if (isKept && current !== config) continue;
      current = isKept ? withOwnLists(config) : configFrom(left, handler.name);
      hasOwnTools = !isKept;
    } catch (error) {
      throw thrownBy(handler, 'beforeAgent', error);
    }
  }
  return current;
}

/**
 * Copies and checks the config that a handler has left: neither the handler nor a later run shares it with the next handlers.
 * @throws AgentError `HANDLER_ERROR` for an invalid one
 */
function configFrom(left: unknown, handler: string): AgentConfig {
  const config = left as AgentConfig; // each field is checked below
  const lost = (what: string) =>
    new AgentError(`beforeAgent of handler ${handler} must leave ${what} in the config`, { code: 'HANDLER_ERROR' });
  if (typeof config !== 'object' || config === null) throw lost('instruction, tools, input and options');
  const { instruction, tools, input, options } = config;
  if (typeof instruction !== 'string') throw lost('a text as instruction');
  if (!Array.isArray(tools) || !tools.every(isMeta)) throw lost('a list of { tool, returnDirectly } as tools');
  if (!Array.isArray(input) || !input.every((message) => isUserMessage(message))) {
    throw lost('a list of user messages as input');
  }
  const maxTurns: unknown = options?.maxTurns;
  if (!Number.isInteger(maxTurns) && maxTurns !== Number.POSITIVE_INFINITY) throw lost('a number as options.maxTurns');
  return withOwnTools(withOwnLists(config));
}

/** Many names that were found distinct: most runs with as many have the same ones, and a set of thousands costs several times as much as a look at each. */
let lastDistinct: readonly string[] = [];
const MANY = 100;

/** @throws ValidationError when two tools have the same name */
export function checkDistinctTools({ tools }: AgentConfig): void {
  const names = tools.map(({ tool }) => tool.name);
  if (hasSameItems(names, lastDistinct)) return;
  if (new Set(names).size === names.length) {
    if (names.length >= MANY) lastDistinct = names;
    return;
  }
  const name = names.find((one, index) => names.indexOf(one) < index);
  throw new ValidationError(`Two tools are named ${name}; remove one, or replace it`, 'tools');
}

/** The config with lists of its own; their items are those of the other. */
function withOwnLists(config: AgentConfig): AgentConfig {
  return { ...config, tools: [...config.tools], input: [...config.input], options: { ...config.options } };
}

/** The config with tools that may be edited in place. */
function withOwnTools(config: AgentConfig): AgentConfig {
  return { ...config, tools: config.tools.map((meta) => ({ ...meta })) };
}

function isMeta(meta: unknown): boolean {
  const { tool, returnDirectly } = (meta ?? {}) as Partial<ToolMeta>;
  return tool !== undefined && isTool(tool) && typeof returnDirectly === 'boolean';
}
