import { type AgentHandler, ValidationError } from '@x/core';

/** Which tools are offered, by name. */
export interface ToolNames {
  /** Only these; absent means all, empty means none. */
  readonly allowed?: readonly string[];
  /** Never these, whatever `allowed` says. */
  readonly disallowed?: readonly string[];
}

/** Hides tools by name before each run and refuses calls of what is hidden. @throws ValidationError for a rule such as `Bash(rm *)` */
export function toolNamesHandler({ allowed, disallowed = [] }: ToolNames): AgentHandler {
  for (const name of [...(allowed ?? []), ...disallowed]) {
    if (typeof name === 'string' && !name.includes('(')) continue;
    throw new ValidationError(
      `${JSON.stringify(name)}: only tool names are supported yet, rules with a pattern are not`,
    );
  }
  const only = allowed && new Set(allowed);
  const never = new Set(disallowed);
  const isOffered = (name: string) => !never.has(name) && (only?.has(name) ?? true);
  return {
    name: 'tool-names',
    beforeAgent(config) {
      config.tools = config.tools.filter(({ tool }) => isOffered(tool.name));
    },
    async *wrapToolCall(call, next) {
      if (isOffered(call.name)) return yield* next(call);
      return { output: `${call.name} is not available`, isError: true, interrupted: 'not_run' };
    },
  };
}
