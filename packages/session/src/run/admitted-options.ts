import { type Model, type ModelOptions, type Tool, ValidationError } from '@x/core';
import { admitComputer, admitModelOptions, withModelOptions } from '@x/core/internal';
import type { FallbackModelOptions, PermissionPolicy } from '@x/handlers';
import { admitServiceTools } from '@x/handlers/internal';
import { admitServiceSearch } from '../discovery/session-discovery.ts';
import type { SessionOptions } from '../options/types.ts';
import { admitPrices } from './cost-limit.ts';

/** A session's options, and the models that its requests go to. */
interface AskedModels {
  readonly options: SessionOptions;
  readonly model: Model;
  readonly fallbacks: readonly FallbackModelOptions[];
  readonly policy: PermissionPolicy;
}

/**
 * Refuses options that a model of the session does not take, fallbacks included, or that a rule denies; `asked` are those of a message, over
 * the session's, and are kept with it. @throws ValidationError naming option and model, or rule
 */
export function admitSessionOptions({ options, model, fallbacks, policy }: AskedModels, asked?: ModelOptions): void {
  if (asked) refuseSecrets(asked);
  const all = withModelOptions(options.modelOptions, asked);
  admitModelOptions(model, all);
  for (const fallback of fallbacks) admitModelOptions(fallback.model, all);
  admitServiceTools(all, policy);
  const computers = offeredComputers(options);
  if (computers.length > 0)
    for (const one of [model, ...fallbacks.map((each) => each.model)]) admitComputer(one, computers);
  admitPrices(options, [model.name, ...fallbacks.map((each) => each.model.name)]);
  admitServiceSearch(options, [model, ...fallbacks.map((fallback) => fallback.model)], policy);
}

/** The host's tools of computer use that its lists admit. */
function offeredComputers({ tools = [], allowedTools, disallowedTools = [] }: SessionOptions): readonly Tool[] {
  return tools.filter((tool): tool is Tool => {
    const isNamed = (list: readonly string[]) => list.includes(tool.name);
    const isComputer = 'computer' in tool && tool.computer !== undefined;
    return isComputer && !isNamed(disallowedTools) && (!allowedTools || isNamed(allowedTools));
  });
}

/** Options of a message are kept with it, so that they may not have what gives access to a server. */
function refuseSecrets({ serviceTools = [] }: ModelOptions): void {
  for (const [index, tool] of serviceTools.entries()) {
    const name = tool.type === 'mcp' ? (['authorization', 'headers'] as const).find((one) => tool[one]) : undefined;
    if (name === undefined) continue;
    const field = `modelOptions.serviceTools[${index}].${name}`;
    throw new ValidationError(
      `${field} would be kept with the message; give it in the modelOptions of the session`,
      field,
    );
  }
}
