import { type AgentHandler, defineTool, isTool, type Model, type Tool, ValidationError, type Workspace } from '@x/core';
import { fromMiddleware, type PermissionPolicy, Pipeline, permissionModeHandler, toolNamesHandler } from '@x/handlers';
import { createModel, type ProviderConfig } from '@x/models';
import { hostWorkspace } from '@x/sandbox';
import { builtinTools } from '@x/tools';
import type { SessionOptions } from './types.ts';

/** What a session keeps between its runs: the host's options, checked and in the shape a run needs. */
export interface Settings {
  readonly options: SessionOptions;
  readonly cwd: string;
  readonly ownTools: readonly Tool[];
  readonly policy: PermissionPolicy;
  model: Model;
  maxTurns: number;
}
/** What one run is made of. */
export interface Assembly {
  readonly pipeline: Pipeline;
  readonly tools: readonly Tool[];
  readonly instruction: string;
  readonly workspace: Workspace;
}

const MAX_TURNS = 200;

/** Everything but the built-in tools is the host's: its options and its handlers are its own code. */
function isOwn(tool: Tool): boolean {
  return !builtinTools().includes(tool);
}

/** The composition root, first part: what is made once per session. @throws ValidationError, AuthenticationError */
export function settingsFor(options: SessionOptions, cwd: string): Settings {
  const ownTools = (options.tools ?? []).map((tool) => (isTool(tool) ? tool : defineTool(tool)));
  const builtins = builtinTools();
  const names = new Set(builtins.map((tool) => tool.name));
  for (const { name } of ownTools) {
    if (names.has(name)) throw new ValidationError(`There is a tool ${name} already; choose another name`, 'tools');
    names.add(name);
  }
  const policy: PermissionPolicy = {
    mode: options.permissionMode ?? 'default',
    isOwn,
  };
  const settings = { options, cwd, ownTools, policy, model: modelFor(options, options.model) };
  const full = { ...settings, maxTurns: options.maxTurns ?? MAX_TURNS };
  new Pipeline(handlersOf(full)); // refuses what is not a handler now, not at the first run
  return full;
}

/** Models are stateless: sessions that name the same provider object share them, and with them the client and its connections. */
const shared = new WeakMap<ProviderConfig, Map<string, Model>>();

/** @throws ValidationError, AuthenticationError */
export function modelFor({ provider }: SessionOptions, name: string): Model {
  if (provider.type === 'custom') return provider.createModel(name);
  const models = shared.get(provider) ?? new Map<string, Model>();
  shared.set(provider, models);
  // A provider object that was changed meanwhile is another provider.
  const key = JSON.stringify([name, provider]);
  const model = models.get(key) ?? createModel(provider, name);
  models.set(key, model);
  return model;
}

/** The composition root, second part: what one run is made of, in one visible order. */
export function assemble(settings: Settings): Assembly {
  const { options, cwd, ownTools } = settings;
  return {
    pipeline: new Pipeline(handlersOf(settings)),
    tools: [...builtinTools(), ...ownTools],
    instruction: options.systemPrompt ?? defaultInstruction(cwd),
    workspace: options.workspace ?? hostWorkspace({ cwd, ...(options.env ? { env: options.env } : {}) }),
  };
}

/** Outside to inside: what a user handler rewrites is still judged below it. */
function handlersOf({ options, policy }: Settings): AgentHandler[] {
  const { allowedTools, disallowedTools, middlewares = [], handlers = [] } = options;
  const names = {
    ...(allowedTools ? { allowed: allowedTools } : {}),
    ...(disallowedTools ? { disallowed: disallowedTools } : {}),
  };
  return [
    ...middlewares.map(fromMiddleware),
    ...handlers,
    ...(allowedTools || disallowedTools ? [toolNamesHandler(names)] : []),
    permissionModeHandler(policy),
  ];
}

function defaultInstruction(cwd: string): string {
  return [
    'You are an agent that does its work with the tools it is given.',
    `The working directory is ${cwd}; relative paths start there.`,
    'Look before you change something, check your work with the tools, and say in the end what you did.',
  ].join('\n');
}
