import type { AssistantMessage, ModelRequest } from '@x/core';
import type { ServiceTool } from '@x/core/internal';
import { recordOf, textIn } from './json-values.ts';

/** The tools of the service that a request asks for, each written by `write`. */
export function serviceToolsOf<T>({ options }: Pick<ModelRequest, 'options'>, write: (tool: ServiceTool) => T): T[] {
  return (options?.serviceTools ?? []).map(write);
}

/** The id of a step, if it has one. */
export function stepId(id: unknown): { readonly id?: string } {
  return typeof id === 'string' && id !== '' ? { id } : {};
}

/** The names in a list of tools that a search has found, if it is one; `key` is where each has its name. */
export function foundTools(list: unknown, key: string): { readonly found?: readonly string[] } {
  if (!Array.isArray(list)) return {};
  return { found: list.map((one) => textIn(recordOf(one)?.[key])).filter((name) => name !== '') };
}

/** The usage with the finished steps of tools of the service, counted here: few services report them. */
export function withServiceTools({
  usage,
  content,
}: Pick<AssistantMessage, 'content' | 'usage'>): AssistantMessage['usage'] {
  let serviceToolUses: Record<string, number> | undefined;
  for (const block of content) {
    const step = block.type === 'thinking' ? block.serviceTool : undefined;
    if (!step || step.state === 'called') continue;
    serviceToolUses ??= {};
    serviceToolUses[step.name] = (serviceToolUses[step.name] ?? 0) + 1;
  }
  return serviceToolUses ? { ...usage, serviceToolUses } : usage;
}
