import { type AgentConfig, AgentError, type ToolMeta, ValidationError } from '@x/core';
import { isTool } from '@x/core/internal';

/**
 * Copies and checks the config that a handler has left: neither the handler nor a later run shares it with the next handlers.
 * @throws AgentError `HANDLER_ERROR` for an invalid one
 */
export function configFrom(left: unknown, handler: string): AgentConfig {
  const config = left as AgentConfig; // each field is checked below
  const lost = (what: string) =>
    new AgentError(`beforeAgent of handler ${handler} must leave ${what} in the config`, { code: 'HANDLER_ERROR' });
  if (typeof config !== 'object' || config === null) throw lost('instruction, tools, input and options');
  const { instruction, tools, input, options } = config;
  if (typeof instruction !== 'string') throw lost('a text as instruction');
  if (!Array.isArray(tools) || !tools.every(isMeta)) throw lost('a list of { tool, returnDirectly } as tools');
  if (!Array.isArray(input) || !input.every((message) => message?.role === 'user')) {
    throw lost('a list of user messages as input');
  }
  const maxTurns: unknown = options?.maxTurns;
  if (!Number.isInteger(maxTurns) && maxTurns !== Number.POSITIVE_INFINITY) throw lost('a number as options.maxTurns');
  return { ...config, tools: tools.map((meta) => ({ ...meta })), input: [...input], options: { ...options } };
}

/** @throws ValidationError when two tools have the same name */
export function checkDistinctTools({ tools }: AgentConfig): void {
  const names = new Set<string>();
  for (const { tool } of tools) {
    if (names.has(tool.name)) {
      throw new ValidationError(`Two tools are named ${tool.name}; remove one, or replace it`, 'tools');
    }
    names.add(tool.name);
  }
}

function isMeta(meta: unknown): boolean {
  const { tool, returnDirectly } = (meta ?? {}) as Partial<ToolMeta>;
  return tool !== undefined && isTool(tool) && typeof returnDirectly === 'boolean';
}
