import type { AgentEvent, AgentHandler, Model, Tool, ToolCall, Workspace } from '@x/core';
import { present } from '@x/core/internal';
import { subagentTool } from '@x/executor';
import { runningModel } from '@x/executor/internal';
import {
  type CompactionOptions,
  type FallbackModelOptions,
  fromMiddleware,
  outputFormatHandler,
  type PermissionPolicy,
  type PermissionRule,
  Pipeline,
  standardHandlers,
  type TracerLike,
} from '@x/handlers';
import { createHooks, type Hooks, type StandardHandlers } from '@x/handlers/internal';
import { hostWorkspace } from '@x/sandbox';
import { sandboxHandler } from '@x/sandbox/internal';
import { BUILTIN_TOOL_GROUPS } from '@x/tool-groups';
import { builtinTools } from '@x/tools';
import { isRuntimeTool } from '@x/tools/internal';
import type { RunCheckpoints, SessionCheckpoints } from '../checkpoints/session-checkpoints.ts';
import type { Discovery } from '../discovery/discovery-handler.ts';
import { searching, sessionDiscovery } from '../discovery/session-discovery.ts';
import { secretPlaces } from '../host/home.ts';
import { SessionServers } from '../mcp/session-servers.ts';
import { sessionRuntimeTools } from '../options/role-access.ts';
import type { SessionOptions } from '../options/types.ts';
import { askUserHandler, askUserTool } from '../questions/ask-user.ts';
import { admitSessionOptions } from './admitted-options.ts';
import { costLimit } from './cost-limit.ts';
import { lastToolAccess, offersServerTool, permissions, policyOf, toolAccess } from './guards.ts';
import { fallbacksOf, modelOf } from './models.ts';
import { adapted, withOwnTools } from './own-tools.ts';
import {
  hiddenPaths,
  launchInside,
  type SessionSandbox,
  workspaceOfHooks,
  workspaceOfTools,
} from './session-sandbox.ts';
import { telemetry } from './telemetry.ts';
import { withEnvironment, withLateEnvironment } from './with-environment.ts';
import { handlerWithinRun } from './within-run.ts';

/** Everything that a session keeps between its runs: the host's options, checked and in the shape a run needs. */
export interface Settings {
  readonly options: SessionOptions;
  readonly sessionId: string;
  readonly cwd: string;
  readonly tools: readonly Tool[];
  /** The host's, middlewares first. */
  readonly handlers: readonly AgentHandler[];
  readonly policy: PermissionPolicy;
  /** The outermost guards, without state of a run. */
  readonly access: readonly AgentHandler[];
  /** The rules of `autoApprove`; the policy may get more as the session goes on. */
  readonly hostRules: readonly PermissionRule[];
  /** Directories of keys and sessions, found when the session is created. */
  readonly secrets: readonly string[];
  /** Directories of the host's commands; absolute. */
  readonly commandDirectories: readonly string[];
  readonly hooks?: Hooks;
  readonly sandbox?: SessionSandbox;
  readonly checkpoints?: SessionCheckpoints;
  readonly servers?: SessionServers;
  readonly discovery?: Discovery;
  readonly fallbacks: readonly FallbackModelOptions[];
  /** Shared by all runs, so that its part of the requests stays the same object. */
  readonly output?: AgentHandler;
  model: Model;
  maxTurns: number;
  /** Results of the `SessionStart` hooks. */
  start?: SessionStart;
}
/** Results of the `SessionStart` hooks. */
interface SessionStart {
  readonly env: Readonly<Record<string, string>>;
  readonly additionalContext?: string;
  /** Yielded at the beginning of the next run, and removed. */
  readonly events: AgentEvent[];
}
/** The parts of one run. */
export interface Assembly {
  readonly pipeline: Pipeline;
  readonly tools: readonly Tool[];
  readonly instruction: string;
  readonly workspace: Workspace;
  /** Options for compacting the history, automatically or on request. */
  readonly compaction: CompactionOptions;
}

/** Facts about a session that are needed before it is assembled. */
export type SessionPlace = Pick<Settings, 'sessionId' | 'cwd' | 'commandDirectories' | 'sandbox' | 'checkpoints'>;

const MAX_TURNS = 200;

/** The composition root, first part: everything made once per session. @throws ValidationError, AuthenticationError */
export function settingsFor(options: SessionOptions, place: SessionPlace): Settings {
  const { middlewares = [], handlers = [], hooks: config, outputFormat } = options;
  const own = adapted(options.tools);
  let servers: SessionServers | undefined;
  const discovery = sessionDiscovery(options, own, () => servers?.offered ?? []);
  const tools = toolsOf(options, own, discovery !== undefined);
  const policy = policyOf(options, tools, discovery?.search);
  const given = new Pipeline([...middlewares.map(fromMiddleware), ...handlers]); // refuses what is not a handler
  const permissionMode = () => policy.mode;
  servers = serversOf(options, { tools, ...place });
  const settings: Settings = {
    options,
    ...place,
    ...present({ servers, discovery }),
    tools,
    handlers: given.handlers.map((one) => handlerWithinRun(one, place.sessionId)),
    policy,
    access: toolAccess(options, discovery),
    hostRules: policy.allow ?? [],
    secrets: secretPlaces(),
    model: modelOf(options.provider, options.model),
    fallbacks: fallbacksOf(options),
    maxTurns: options.maxTurns ?? MAX_TURNS,
    ...(outputFormat === undefined ? {} : { output: outputFormatHandler(outputFormat) }),
  };
  const { sessionId } = place;
  const workspace = () => {
    const outside = withLateEnvironment(baseWorkspace(settings), () => full.start?.env);
    const own = workspaceOfHooks(outside, settings.sandbox);
    return settings.checkpoints?.watchingHooks(own) ?? own;
  };
  const hooks = config && createHooks(config, { workspace: workspace(), sessionId, permissionMode });
  admitSessionOptions(settings);
  const full: Settings = { ...settings, ...(hooks ? { hooks } : {}) };
  return full;
}

/** Parts that only a lasting session has. */
interface Attached {
  readonly tracer?: TracerLike | undefined;
  /** Keeps rules that `canUseTool` asks to remember. */
  readonly remember?: (rules: readonly string[]) => Promise<void>;
  /** Aborts the run, where `canUseTool` wants it to end with a refusal. */
  readonly interrupt?: () => void;
  /** US dollars of the run so far; undefined when a price is not known. */
  readonly spent?: () => number | undefined;
  readonly files?: RunCheckpoints;
  /** Called when a summary of the conversation is about to be written. */
  readonly onCompaction?: CompactionOptions['onStart'];
}

/** The composition root, second part: the parts of one run, in one visible order. */
export function assemble(settings: Settings, attached: Attached = {}): Assembly {
  const { options, cwd, tools, start } = settings;
  const parts = [options.systemPrompt ?? defaultInstruction(cwd), options.role?.rolePrompt, start?.additionalContext];
  const { handlers, compaction } = handlersOf(settings, attached);
  return {
    pipeline: new Pipeline(handlers),
    compaction,
    tools,
    instruction: parts.filter((part) => part !== undefined && part !== '').join('\n\n'),
    workspace: workspaceOf(settings),
  };
}

/** The workspace of the tools of a run. */
export function workspaceOf(settings: Settings): Workspace {
  return withEnvironment(workspaceOfTools(baseWorkspace(settings), settings.sandbox), settings.start?.env);
}

/** The standard handlers, with the guards of the session: what a handler of the host rewrites is still judged below it. */
function handlersOf(
  settings: Settings,
  { tracer, remember, interrupt, spent, files, onCompaction }: Attached,
): StandardHandlers {
  const { options, tools, access, hooks, fallbacks, output, sessionId, sandbox, discovery } = settings;
  return standardHandlers({
    ...(fallbacks.length > 0 ? { fallbackModel: fallbacks } : {}),
    ...present({ retryBudgetMs: options.retryBudgetMs, output }),
    ...telemetry(tracer, options),
    model: (run) => runningModel(run) ?? settings.model,
    handlers: settings.handlers,
    guards: [
      ...(options.maxCost !== undefined && spent ? [costLimit(options.maxCost, spent)] : []),
      ...access,
      ...(hooks ? [handlerWithinRun(hooks.outer, sessionId)] : []),
      ...(tools.includes(askUserTool) ? [askUserHandler(options.questionTtlMs)] : []),
      permissions(options, { ...settings, ...present({ remember, interrupt }) }),
      ...(hooks ? [handlerWithinRun(hooks.inner, sessionId)] : []),
      ...(sandbox
        ? [sandboxHandler({ ...sandbox, host: baseWorkspace(settings), hidden: hiddenIn(settings, sandbox) })]
        : []),
      ...lastToolAccess(options, discovery),
      ...(files ? [files.handler] : []),
      ...(discovery ? [discovery.handler] : []),
    ],
    compaction: present({ hook: hooks?.compaction, sentTools: discovery?.sentTools, onStart: onCompaction }),
  });
}

function serversOf(
  options: SessionOptions,
  { tools, cwd, sandbox }: Pick<Settings, 'tools' | 'cwd' | 'sandbox'>,
): SessionServers | undefined {
  const { mcpServers: servers, mcpStartWait: startWaitMs = 900 } = options;
  if (!servers || Object.keys(servers).length === 0) return undefined;
  const { mcpHandlers: handlers, mcpLogLevel: logLevel } = options;
  const isOffered = offersServerTool(options, tools);
  const more = present({ launch: launchInside(sandbox), handlers, logLevel, isOffered });
  return new SessionServers({ servers, cwd, startWaitMs, ...more });
}

function toolsOf(options: SessionOptions, given: readonly Tool[], isSearched: boolean): readonly Tool[] {
  const { agents = [], maxSubagentDepth: maxDepth, maxParallelSubagents: maxParallel } = options;
  const hasGroups = options.role !== undefined && options.toolGroups === undefined;
  if (agents.length === 0 && given.length === 0 && !hasGroups && !options.askUser) return builtinTools(); // one list for all sessions without more
  const own = [...given];
  if (agents.length > 0) {
    const limits = { ...(maxDepth ? { maxDepth } : {}), ...(maxParallel ? { maxParallel } : {}) };
    const modelFor = (name: string) => modelOf(options.provider, name);
    own.unshift(subagentTool({ agents: isSearched ? agents.map(searching) : agents, modelFor, ...limits })); // nothing replaces it: the agents would be without a door
  }
  const asking = options.askUser ? [askUserTool] : [];
  const builtin = [...builtinTools(), ...(hasGroups ? sessionRuntimeTools() : []), ...asking];
  // A host with groups of its own provides the tools of the built-in ones itself.
  const grouped = options.role && !hasGroups ? Object.values(BUILTIN_TOOL_GROUPS).flatMap((group) => group.tools) : [];
  return withOwnTools(builtin, own, grouped);
}

/** True for the tools that come with the SDK: none touches files but by its workspace. */
export function isThroughWorkspace({ tool }: ToolCall): boolean {
  return tool !== undefined && (builtinTools().includes(tool) || isRuntimeTool(tool));
}

function hiddenIn(settings: Settings, sandbox: SessionSandbox): ReturnType<typeof hiddenPaths> {
  return hiddenPaths(sandbox, settings.policy, baseWorkspace(settings));
}

function baseWorkspace({ options, cwd }: Settings): Workspace {
  return options.workspace ?? hostWorkspace({ cwd, ...(options.env ? { env: options.env } : {}) });
}

function defaultInstruction(cwd: string): string {
  return [
    'You are an agent that does its work with the tools it is given.',
    `The working directory is ${cwd}; relative paths start there.`,
    'Look before you change something, check your work with the tools, and say in the end what you did.',
  ].join('\n');
}
