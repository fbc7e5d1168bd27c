import type { AssistantMessage, ModelRequest } from '@x/core';
import type { ServiceTool, ServiceToolStep } from '@x/core/internal';
import { recordOf, textIn } from './json-values.ts';

/** The name of calls of servers that the service talks to, whatever tool of whichever server is called. */
export const MCP_STEP = 'mcp';

const NONE: readonly string[] = [];

/** The texts of a request that errors must not show: what gives access to servers. */
export function serverSecrets({ options }: Pick<ModelRequest, 'options'>): readonly string[] {
  if (!options?.serviceTools) return NONE;
  const servers = options.serviceTools.filter((tool) => tool.type === 'mcp');
  return servers.flatMap(({ authorization, headers = {} }) => [
    ...(authorization === undefined ? [] : [authorization]),
    ...Object.values(headers).map((value) => value.trim().split(/\s+/).at(-1) ?? ''),
  ]);
}

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

/** The files in a list of what code has made, each once; `idOf` is the id of one, if it is a file. */
export function writtenFiles(
  list: unknown,
  idOf: (one: Readonly<Record<string, unknown>>) => unknown,
): Pick<ServiceToolStep, 'files'> {
  const files = new Map<string, NonNullable<ServiceToolStep['files']>[number]>();
  for (const one of Array.isArray(list) ? list.map(recordOf) : []) {
    const id = one && idOf(one);
    if (typeof id !== 'string' || id === '') continue;
    const name = textIn(one?.['filename']);
    files.set(id, { id, ...(name === '' ? {} : { name }) });
  }
  return files.size > 0 ? { files: [...files.values()] } : {};
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
