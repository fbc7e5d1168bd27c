import type { AgentHandler, Tool } from '@x/core';
import { ValidationError } from '@x/core';
import { present, SERVICE_TOOL_TYPES } from '@x/core/internal';
import { type PermissionPolicy, type PermissionRule, parseRules, permissionHandler } from '@x/handlers';
import {
  checkMatchers,
  checkRule,
  checkToolNames,
  type Hooks,
  SERVICE,
  splitToolRules,
  toolNameOf,
  toolNamesHandler,
} from '@x/handlers/internal';
import { homeDirectory } from '@x/sandbox/internal';
import { toolAccessHandler } from '@x/tool-groups';
import { builtinTools } from '@x/tools';
import { isRuntimeTool } from '@x/tools/internal';
import type { Discovery } from '../discovery/discovery-handler.ts';
import { isListed, isNameOfServerTool, matchesServerTools, withoutServerTools } from '../mcp/server-tool-names.ts';
import { groupedNames, mayChange, roleAccess } from '../options/role-access.ts';
import type { SessionOptions } from '../options/types.ts';
import { ASK_USER } from '../questions/ask-user.ts';
import type { SessionSandbox } from './session-sandbox.ts';

type Rules = 'deny' | 'ask' | 'allow';

/** The host's permission rules for its tools, and for the one that finds others. @throws ValidationError for an invalid rule or name */
export function policyOf(options: SessionOptions, tools: readonly Tool[], search?: Tool): PermissionPolicy {
  checkNames(options, tools, search);
  const named = search ? [...tools, search] : tools;
  const { disallowedTools = [], autoApprove = [], alwaysAsk = [] } = options;
  return {
    mode: options.permissionMode ?? 'default',
    ...rulesOf('deny', deniedByRule(disallowedTools), 'disallowedTools'),
    ...rulesOf('ask', alwaysAsk, 'alwaysAsk'),
    ...rulesOf('allow', autoApprove, 'autoApprove'),
    isOwn: ({ name, computer }) =>
      !computer &&
      isOwn(name) &&
      !isOfServer(name) &&
      !tools.some((tool) => tool.name === name && (tool.replace || isRuntimeTool(tool))),
    // Rules for a built-in tool are about its kind, even when another tool replaces it.
    kindOf: (name) => [...builtinTools(), ...tools].find((tool) => tool.name === name)?.kind,
  };

  function isOfServer(name: string): boolean {
    return options.mcpServers !== undefined && isNameOfServerTool(name) && !tools.some((tool) => tool.name === name);
  }

  function rulesOf(key: Rules, texts: readonly string[], field: string): { [key in Rules]?: PermissionRule[] } {
    return texts.length === 0 ? {} : { [key]: parsedRules(texts, { tools: named, field }) };
  }
}

/** The rules of the list, and the name of all tools of the service, which is no tool of the session. */
function deniedByRule(disallowedTools: readonly string[]): readonly string[] {
  const { names, rules } = splitToolRules(disallowedTools);
  return [...rules, ...names.filter((name) => name === SERVICE)];
}

/** Parses rules that fit the tools they name. `field` is the option they come from. @throws ValidationError */
export function parsedRules(
  texts: readonly string[],
  { tools, field }: { readonly tools: readonly Tool[]; readonly field: string },
): PermissionRule[] {
  checkToolNames(texts, { tools, field });
  if (field !== 'disallowedTools') refuseServiceRules(texts, field);
  const ignoreCase = process.platform === 'darwin' || process.platform === 'win32';
  const rules = parseRules(texts, { home: homeDirectory(), ignoreCase, field });
  for (const rule of rules) for (const tool of tools) checkRule(rule, tool, field);
  return rules;
}

/** The service runs its tools without asking, once it is given them. @throws ValidationError for a rule that would allow one, or ask */
function refuseServiceRules(texts: readonly string[], field: string): void {
  const text = texts.find((written) => toolNameOf(written) === SERVICE);
  if (text === undefined) return;
  const how = 'modelOptions.serviceTools gives them, disallowedTools denies them';
  throw new ValidationError(`${field}: ${JSON.stringify(text)} has no effect on tools of the service; ${how}`, field);
}

/** Refuses typos in names, and rules for tools that this session does not have, unless a handler may still add them. */
function checkNames(options: SessionOptions, tools: readonly Tool[], search: Tool | undefined): void {
  const { allowedTools = [], disallowedTools = [], autoApprove = [], alwaysAsk = [], agents = [], hooks } = options;
  const { handlers = [], middlewares = [] } = options;
  checkAskUser(options);
  checkServiceNames(options, tools);
  if (search && disallowedTools.some((written) => typeof written === 'string' && toolNameOf(written) === search.name)) {
    const message = `disallowedTools: ${search.name} finds only what lists and roles admit; to do without it set toolDiscovery: 'off'`;
    throw new ValidationError(message, 'disallowedTools');
  }
  const open = middlewares.length > 0 || handlers.some((one) => one?.beforeAgent);
  const servers = Object.keys(options.mcpServers ?? {});
  const others = (list: readonly string[], field: string) => withoutServerTools(list, { servers, field });
  // Offered with agents only; a list that names it without them is no typo.
  const known = [...tools, { name: 'Task' }, ...(search ? [search] : [])];
  checkToolNames(others(allowedTools, 'allowedTools'), { tools: known, field: 'allowedTools', whole: true });
  checkToolNames(others(autoApprove, 'autoApprove'), { tools: known, field: 'autoApprove' });
  for (const [field, list] of Object.entries({ disallowedTools, alwaysAsk })) {
    checkToolNames(
      others(list, field).filter((name) => name !== 'Task'),
      { tools: [...tools, ...(search ? [search] : []), { name: SERVICE }], field, open },
    );
  }
  for (const [index, agent] of agents.entries()) {
    const field = `agents[${index}].tools`;
    checkToolNames(others(agent.tools ?? [], field), { tools: known, field, whole: true });
  }
  if (!hooks) return;
  const names = { tools: known.map(({ name }) => name), agents: agents.map(({ name }) => name) };
  const comingTools = (matcher: string, field: string) => matchesServerTools(matcher, { servers, field });
  checkMatchers(hooks, { ...names, open, comingTools });
}

/** The name of a tool of the service guards nothing in a list of tools. @throws ValidationError with the rule to write */
function checkServiceNames(
  { disallowedTools = [], alwaysAsk = [], mcpServers }: SessionOptions,
  tools: readonly Tool[],
): void {
  const plain = (name: string) => name.replaceAll(/[^a-z]/gi, '').toLowerCase();
  for (const [field, list] of Object.entries({ disallowedTools, alwaysAsk })) {
    for (const written of list) {
      if (typeof written !== 'string' || tools.some(({ name }) => name === toolNameOf(written))) continue;
      const type = SERVICE_TOOL_TYPES.find((one) => plain(one) === plain(toolNameOf(written)));
      if (type === undefined || (type === 'mcp' && mcpServers)) continue; // servers of the host are meant
      const message = `${field}: ${JSON.stringify(written)} is no tool of the session; write ${SERVICE}(${type}) in disallowedTools`;
      throw new ValidationError(message, field);
    }
  }
}

/** Refuses lists that take the tool away again. @throws ValidationError */
function checkAskUser({ askUser, allowedTools, disallowedTools = [] }: SessionOptions): void {
  if (!askUser) return;
  const by = allowedTools?.includes(ASK_USER) === false ? 'allowedTools leaves it out' : undefined;
  const why = disallowedTools.includes(ASK_USER) ? 'disallowedTools names it' : by;
  if (why !== undefined) throw new ValidationError(`askUser offers the tool ${ASK_USER}, but ${why}`, 'askUser');
}

/** True for a tool of a server that lists and role admit, and that has a name of its own; undefined when that is true for all. */
export function offersServerTool(
  options: SessionOptions,
  tools: readonly Tool[],
): ((toolName: string) => boolean) | undefined {
  const { allowedTools, disallowedTools = [] } = options;
  const { names: never } = splitToolRules(disallowedTools);
  const isAllowed = roleAccess(options);
  const taken = new Set(tools.map(({ name }) => name).filter(isNameOfServerTool));
  if (!allowedTools && !isAllowed && never.length + taken.size === 0) return undefined;
  return (name) =>
    !taken.has(name) &&
    !isListed(never, name) &&
    (!allowedTools || isListed(allowedTools, name)) &&
    (isAllowed?.(name) ?? true);
}

/** The outermost guards: lists of names and the groups of a role. Empty when every tool is allowed. */
export function toolAccess(options: SessionOptions, discovery: Discovery | undefined): AgentHandler[] {
  const isAllowed = roleAccess(options);
  const guards = [...toolNames(options), ...(isAllowed ? [toolAccessHandler({ isAllowed })] : [])];
  return discovery ? guards.map((guard) => except(guard, discovery)) : guards;
}

/** The guard for all calls but those of the tools of discovery: lists and roles are about the tools that these find. */
function except({ wrapToolCall, ...guard }: AgentHandler, { isOwn }: Discovery): AgentHandler {
  if (!wrapToolCall) return guard;
  return {
    ...guard,
    wrapToolCall: (call, next, run) => (isOwn(call.tool) ? next(call) : wrapToolCall(call, next, run)),
  };
}

/** The innermost guard: a call may have waited long for an answer, and its tool may have left the groups since. */
export function lastToolAccess(options: SessionOptions, discovery: Discovery | undefined): AgentHandler[] {
  const isAllowed = mayChange(options) ? roleAccess(options) : undefined;
  if (!isAllowed) return [];
  const { wrapToolCall } = toolAccessHandler({ isAllowed });
  if (!wrapToolCall) return [];
  const guard = { name: 'tool-access-last', wrapToolCall };
  return [discovery ? except(guard, discovery) : guard];
}

function toolNames(options: SessionOptions): AgentHandler[] {
  const { allowedTools, disallowedTools = [], autoApprove, alwaysAsk } = options;
  const disallowed = splitToolRules(disallowedTools.filter((written) => toolNameOf(written) !== SERVICE));
  const mentioned = [...disallowed.rules, ...(autoApprove ?? []), ...(alwaysAsk ?? []), ...groupedNames(options)];
  if (!allowedTools && disallowed.names.length + mentioned.length === 0) return [];
  const allowed = allowedTools ? { allowed: allowedTools } : {};
  return [toolNamesHandler({ ...allowed, disallowed: disallowed.names, mentioned })];
}

interface Judged {
  readonly policy: PermissionPolicy;
  /** Directories of keys and sessions. */
  readonly secrets: readonly string[];
  readonly hooks?: Hooks;
  readonly sandbox?: SessionSandbox;
  /** Keeps rules that `canUseTool` asks to remember; without a session, nothing is kept. */
  readonly remember?: (rules: readonly string[]) => Promise<void>;
  /** Aborts the run. */
  readonly interrupt?: () => void;
}

/** The handler that judges every call. */
export function permissions(
  { canUseTool, askPolicy, questionTtlMs: ttlMs }: SessionOptions,
  { policy, secrets, hooks, remember, interrupt, sandbox }: Judged,
): AgentHandler {
  return permissionHandler({
    policy,
    questions: present({ askPolicy, ttlMs }),
    ...present({ canUseTool, remember, interrupt, sandboxed: sandbox?.placement.placeOf }),
    ...(hooks ? { recheck: hooks.recheck, ask: ({ call, run }) => hooks.permissionRequest(call, run) } : {}),
    home: homeDirectory(),
    ownDirectories: secrets,
  });
}

/**
 * True for the host's own tools, including handlers' tools: all but the built-in ones and those of the built-in groups. By name, because a
 * handler may copy a tool, and because a replacement is judged as the built-in tool was.
 */
function isOwn(name: string): boolean {
  return !builtinTools().some((tool) => tool.name === name);
}
