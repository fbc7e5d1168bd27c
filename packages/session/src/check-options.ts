import { isAbsolute } from 'node:path';
import { nearestName, ValidationError, type Workspace } from '@x/core';
import { checkMode } from '@x/handlers';
import type { SessionOptions } from './types.ts';

const KNOWN: Readonly<Record<keyof SessionOptions | 'sessionId', true>> = {
  provider: true,
  model: true,
  systemPrompt: true,
  maxTurns: true,
  cwd: true,
  permissionMode: true,
  allowedTools: true,
  disallowedTools: true,
  tools: true,
  env: true,
  handlers: true,
  middlewares: true,
  validateHandlers: true,
  store: true,
  maxParallelTools: true,
  toolTimeout: true,
  maxToolOutputBytes: true,
  reconcile: true,
  workspace: true,
  sessionId: true,
};

/** Options of the design that are still to come: refused, so that nobody relies on a guard that is not there. */
const NOT_YET = new Set([
  'agents',
  'mcpServers',
  'canUseTool',
  'hooks',
  'sandbox',
  'enableFileCheckpointing',
  'outputFormat',
  'autoApprove',
  'alwaysAsk',
  'role',
  'toolGroups',
  'onToolTimeout',
  'commandDirectories',
  'tracer',
  'engine',
  'fallbackModel',
  'prices',
  'maxSubagentDepth',
  'maxParallelSubagents',
  'retryBudgetMs',
]);

/** Refuses unknown, unsupported and impossible options, each with what to do about it. @throws ValidationError */
export function checkOptions(options: SessionOptions, { resuming }: { resuming: boolean }): void {
  if (typeof options !== 'object' || options === null) throw new ValidationError('The options must be an object');
  for (const [key, value] of Object.entries(options)) {
    if (key === 'enableFileCheckpointing' && value === false) continue;
    checkKey(key, { resuming });
  }
  const { provider, model, systemPrompt, permissionMode, cwd } = options;
  if (typeof provider !== 'object' || provider === null) {
    throw new ValidationError("provider is required, e.g. { type: 'openai-compatible', apiKey }", 'provider');
  }
  if (provider.type === 'custom' && typeof provider.createModel !== 'function') {
    throw new ValidationError('A custom provider needs a createModel function', 'provider');
  }
  checkModelName(model);
  if (systemPrompt !== undefined && typeof systemPrompt !== 'string') {
    throw new ValidationError('systemPrompt must be a string', 'systemPrompt');
  }
  if (permissionMode !== undefined) checkMode(permissionMode);
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === ''))
    throw new ValidationError('cwd must be a path', 'cwd');
  for (const key of ['maxTurns', 'maxParallelTools', 'maxToolOutputBytes', 'toolTimeout'] as const) {
    if (options[key] !== undefined) checkCount(options[key], key);
  }
  checkLists(options);
  if (options.env !== undefined) checkEnv(options.env);
  if (options.workspace) checkWorkspace(options.workspace, options);
}

/** @throws ValidationError */
export function checkModelName(model: unknown): asserts model is string {
  if (typeof model !== 'string' || model.trim() === '') {
    throw new ValidationError("model is required: the model's name as the service knows it", 'model');
  }
}

/** @throws ValidationError unless `value` is a whole number from 1 */
export function checkCount(value: unknown, field: string): void {
  if (!Number.isInteger(value) || (value as number) < 1) {
    throw new ValidationError(`${field} must be a whole number from 1, not ${String(value)}`, field);
  }
}

function checkKey(key: string, { resuming }: { resuming: boolean }): void {
  if (NOT_YET.has(key)) {
    throw new ValidationError(`${key} is not supported by this version yet; leave it out`, key);
  }
  if (key === 'sessionId' && !resuming) {
    throw new ValidationError('createSession chooses the sessionId itself; use resumeSession to go on with one', key);
  }
  if (Object.hasOwn(KNOWN, key)) return;
  const nearest = nearestName(key, [...Object.keys(KNOWN), ...NOT_YET]);
  throw new ValidationError(`Unknown option ${key}; the nearest known one is ${nearest}`, key);
}

function checkLists(options: SessionOptions): void {
  for (const key of ['allowedTools', 'disallowedTools', 'tools', 'handlers', 'middlewares'] as const) {
    if (options[key] !== undefined && !Array.isArray(options[key]))
      throw new ValidationError(`${key} must be a list`, key);
  }
  const odd = options.tools?.findIndex((tool) => typeof tool !== 'object' || tool === null) ?? -1;
  if (odd >= 0) throw new ValidationError(`tools[${odd}] is not a tool; see defineTool`, 'tools');
}

/** A workspace brings its own directory and environment: beside it `cwd` and `env` would do nothing. */
function checkWorkspace(workspace: Workspace, { cwd, env }: SessionOptions): void {
  if (!isAbsolute(workspace.cwd)) throw new ValidationError('workspace.cwd must be an absolute path', 'workspace');
  const idle = cwd === undefined ? env && 'env' : 'cwd';
  if (idle)
    throw new ValidationError(`${idle} has no effect beside workspace, which brings its own; leave it out`, idle);
}

function checkEnv(env: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (typeof value === 'string' && name !== '' && !name.includes('=') && !`${name}${value}`.includes('\0')) continue;
    throw new ValidationError(`env.${name} must be a string without NUL, under a name without =`, 'env');
  }
}
