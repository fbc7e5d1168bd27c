import {
  type AgentHandler,
  nearestName,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolStream,
  ValidationError,
} from '@x/core';

/** Which tools are offered, by name. */
export interface ToolNames {
  /** Only these; absent means all, empty means none. */
  readonly allowed?: readonly string[];
  /** Never these, whatever `allowed` says. */
  readonly disallowed?: readonly string[];
  /** Names in other options, such as those of rules: a run in which no tool bears one of them is told of it too. */
  readonly mentioned?: readonly string[];
}

/**
 * Hides tools by name before each run and refuses calls of what is hidden, which is told and recorded like any other decision. A name that no tool of the run bears is told in a
 * `notification` of kind `unknown_tool_name`, once a run, with the nearest name there is.
 * @throws ValidationError for a rule such as `Bash(rm *)`; see `splitToolRules`
 */
export function toolNamesHandler({ allowed, disallowed = [], mentioned = [] }: ToolNames): AgentHandler {
  for (const name of allowed ?? []) {
    checkName(
      name,
      'allowedTools is a filter of whole tools; to let such calls pass without a question use autoApprove',
    );
  }
  for (const name of disallowed) checkName(name, 'it belongs with the deny rules');
  const only = allowed && new Set(allowed);
  const never = new Set(disallowed);
  const isOffered = (name: string) => !never.has(name) && (only?.has(name) ?? true);
  return {
    name: 'tool-names',
    beforeAgent(config, run) {
      const names = config.tools.map(({ tool }) => tool.name);
      const unknown = unknownNames([...(allowed ?? []), ...disallowed, ...mentioned], names);
      // A subagent has fewer tools by design: what is unknown there is not a slip of the pen.
      if (unknown && run.depth === 0) run.emit({ type: 'notification', kind: 'unknown_tool_name', message: unknown });
      config.tools = config.tools.filter(({ tool }) => isOffered(tool.name));
    },
    // No generator around what is offered: each costs every event of the call.
    wrapToolCall: (call, next, run) =>
      isOffered(call.name) && isOffered(call.tool?.name ?? call.name) ? next(call) : refuse(call, run),
  };
}

async function* refuse({ id, name }: ToolCall, run: RunContext): ToolStream {
  const decision = { decision: 'deny', step: 'tool_names', reason: `${name} is not available` } as const;
  yield { type: 'permission', id, ...decision };
  await run.journal.write({ type: 'note', name: `permission:${id}`, data: decision });
  return { output: decision.reason, isError: true, interrupted: 'not_run' };
}

/** A `disallowedTools` list as its two halves: names of tools that are hidden, and rules that deny some calls of a tool. */
export function splitToolRules(list: readonly string[]): { names: string[]; rules: string[] } {
  const isRule = (text: unknown) => typeof text === 'string' && /[()]/.test(text);
  return { names: list.filter((text) => !isRule(text)), rules: list.filter(isRule) };
}

/**
 * Refuses a name that is a known tool's but for the case of its letters: it would neither hide nor allow that tool. The name of a
 * rule is what stands before its parenthesis.
 * @throws ValidationError naming the tool that is meant; `field` is the option
 */
export function checkToolNames(
  names: readonly string[],
  { tools, field }: { readonly tools: readonly Pick<Tool, 'name'>[]; readonly field: string },
): void {
  const known = new Set(tools.map(({ name }) => name));
  const folded = new Map(tools.map(({ name }) => [name.toLowerCase(), name]));
  for (const written of names) {
    if (typeof written !== 'string') continue; // refused where the list is read
    const name = nameOf(written);
    const meant = folded.get(name.toLowerCase());
    if (known.has(name) || meant === undefined) continue;
    throw new ValidationError(`${field}: there is no tool ${name}; names count exactly, write ${meant}`, field);
  }
}

function checkName(name: unknown, hint: string): void {
  if (typeof name === 'string' && !/[()]/.test(name)) return;
  throw new ValidationError(`${JSON.stringify(name)} is not the name of a tool: ${hint}`);
}

function unknownNames(names: readonly string[], known: readonly string[]): string | undefined {
  const unknown = [...new Set(names.map(nameOf))].filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const told = unknown.map((name) => {
    const nearest = nearestName(name, known);
    return nearest === undefined ? name : `${name} (the nearest is ${nearest})`;
  });
  return `No tool of this run is named ${told.join(', ')}; rules and lists with that name say nothing.`;
}

function nameOf(written: string): string {
  const open = written.indexOf('(');
  return open === -1 ? written : written.slice(0, open);
}
