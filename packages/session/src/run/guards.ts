import { homedir } from 'node:os';
import type { AgentHandler, Tool } from '@x/core';
import { present } from '@x/core/internal';
import { type PermissionPolicy, type PermissionRule, parseRules, permissionHandler } from '@x/handlers';
import {
  checkMatchers,
  checkRule,
  checkToolNames,
  type Hooks,
  splitToolRules,
  toolNamesHandler,
} from '@x/handlers/internal';
import { toolAccessHandler } from '@x/tool-groups';
import { builtinTools } from '@x/tools';
import { isRuntimeTool } from '@x/tools/internal';
import { groupedNames, mayChange, roleAccess } from '../options/role-access.ts';
import type { SessionOptions } from '../options/types.ts';

type Rules = 'deny' | 'ask' | 'allow';

/** What the host has decided about its tools beforehand. @throws ValidationError for a rule or a name that cannot be meant */
export function policyOf(options: SessionOptions, tools: readonly Tool[]): PermissionPolicy {
  checkNames(options, tools);
  const { disallowedTools = [], autoApprove = [], alwaysAsk = [] } = options;
  return {
    mode: options.permissionMode ?? 'default',
    ...rulesOf('deny', splitToolRules(disallowedTools).rules, 'disallowedTools'),
    ...rulesOf('ask', alwaysAsk, 'alwaysAsk'),
    ...rulesOf('allow', autoApprove, 'autoApprove'),
    isOwn: ({ name }) =>
      isOwn(name) && !tools.some((tool) => tool.name === name && (tool.replace || isRuntimeTool(tool))),
    // What is written about a built-in tool means its kind, also where another one takes its place.
    kindOf: (name) => [...builtinTools(), ...tools].find((tool) => tool.name === name)?.kind,
  };

  function rulesOf(key: Rules, texts: readonly string[], field: string): { [key in Rules]?: PermissionRule[] } {
    return texts.length === 0 ? {} : { [key]: parsedRules(texts, { tools, field }) };
  }
}

/** Rules that fit the tools they name. `field` is the option they come from. @throws ValidationError */
export function parsedRules(
  texts: readonly string[],
  { tools, field }: { readonly tools: readonly Tool[]; readonly field: string },
): PermissionRule[] {
  checkToolNames(texts, { tools, field });
  const ignoreCase = process.platform === 'darwin' || process.platform === 'win32';
  const rules = parseRules(texts, { home: homedir(), ignoreCase, field });
  for (const rule of rules) for (const tool of tools) checkRule(rule, tool, field);
  return rules;
}

/** Refuses slips of names, and guards that are about nothing in this session, unless a handler may still bring it. */
function checkNames(options: SessionOptions, tools: readonly Tool[]): void {
  const { allowedTools = [], disallowedTools = [], autoApprove = [], alwaysAsk = [], agents = [], hooks } = options;
  const { handlers = [], middlewares = [] } = options;
  const open = middlewares.length > 0 || handlers.some((one) => one?.beforeAgent);
  // Offered with agents only; a list that names it without them is no slip.
  const known = [...tools, { name: 'Task' }];
  checkToolNames(allowedTools, { tools: known, field: 'allowedTools', whole: true });
  checkToolNames(autoApprove, { tools: known, field: 'autoApprove' });
  for (const [field, list] of Object.entries({ disallowedTools, alwaysAsk })) {
    checkToolNames(
      list.filter((name) => name !== 'Task'),
      { tools, field, open },
    );
  }
  for (const [index, agent] of agents.entries()) {
    checkToolNames(agent.tools ?? [], { tools: known, field: `agents[${index}].tools`, whole: true });
  }
  if (!hooks) return;
  const names = { tools: known.map(({ name }) => name), agents: agents.map(({ name }) => name) };
  checkMatchers(hooks, { ...names, open });
}

/** Which tools there are: the outermost guards, lists of names and the groups of a role. Nothing where every tool is there. */
export function toolAccess(options: SessionOptions): AgentHandler[] {
  const isAllowed = roleAccess(options);
  return [...toolNames(options), ...(isAllowed ? [toolAccessHandler({ isAllowed })] : [])];
}

/** The innermost guard: a call may have waited long for an answer, and its tool have left the groups meanwhile. */
export function lastToolAccess(options: SessionOptions): AgentHandler[] {
  const isAllowed = mayChange(options) ? roleAccess(options) : undefined;
  if (!isAllowed) return [];
  const { wrapToolCall } = toolAccessHandler({ isAllowed });
  return wrapToolCall ? [{ name: 'tool-access-last', wrapToolCall }] : [];
}

function toolNames(options: SessionOptions): AgentHandler[] {
  const { allowedTools, disallowedTools, autoApprove, alwaysAsk } = options;
  const disallowed = splitToolRules(disallowedTools ?? []);
  const mentioned = [...disallowed.rules, ...(autoApprove ?? []), ...(alwaysAsk ?? []), ...groupedNames(options)];
  if (!allowedTools && disallowed.names.length + mentioned.length === 0) return [];
  const allowed = allowedTools ? { allowed: allowedTools } : {};
  return [toolNamesHandler({ ...allowed, disallowed: disallowed.names, mentioned })];
}

interface Judged {
  readonly policy: PermissionPolicy;
  /** Where keys and sessions lie. */
  readonly secrets: readonly string[];
  readonly hooks?: Hooks;
  /** Keeps rules that `canUseTool` wants remembered; without a session, nothing is kept. */
  readonly remember?: (rules: readonly string[]) => Promise<void>;
}

/** The judge of every call. */
export function permissions(
  { canUseTool }: SessionOptions,
  { policy, secrets, hooks, remember }: Judged,
): AgentHandler {
  return permissionHandler({
    policy,
    ...present({ canUseTool, remember }),
    ...(hooks ? { recheck: hooks.recheck, ask: ({ call, run }) => hooks.permissionRequest(call, run) } : {}),
    home: homedir(),
    ownDirectories: secrets,
  });
}

/**
 * Everything but the built-in tools, those of the built-in groups among them, is the host's: its options and its handlers are its own
 * code. By name, because a handler may have made a copy of one, and because what takes the place of a built-in tool is judged as that
 * one was.
 */
function isOwn(name: string): boolean {
  return !builtinTools().some((tool) => tool.name === name);
}
