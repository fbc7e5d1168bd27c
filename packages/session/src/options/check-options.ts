import { isAbsolute } from 'node:path';
import { ValidationError, type Workspace } from '@x/core';
import { checkAgents } from '@x/executor';
import { checkHooks, checkMode } from '@x/handlers';
import { checkPrices } from '@x/models';
import { isRecord } from '../host/own-record.ts';
import { checkMetadata, checkTitle } from '../log/title.ts';
import { checkStore } from '../store/using-store.ts';
import { checkCommandDirectories } from './command-directories.ts';
import { checkKey, type Purpose } from './known-options.ts';
import { checkRoleOptions } from './role-access.ts';
import type { FallbackModel, SessionOptions } from './types.ts';

const COUNTS = [
  'maxTurns',
  'maxParallelTools',
  'maxToolOutputBytes',
  'toolTimeout',
  'maxSubagentDepth',
  'maxParallelSubagents',
  'maxCrashes',
] as const;
const LISTS = [
  'allowedTools',
  'disallowedTools',
  'autoApprove',
  'alwaysAsk',
  'tools',
  'agents',
  'handlers',
  'middlewares',
] as const;

/** Refuses unknown, unsupported and impossible options, each with what to do about it. @throws ValidationError */
export function checkOptions(options: SessionOptions, purpose: Purpose): void {
  if (!isRecord(options)) throw new ValidationError('The options must be an object');
  for (const [key, value] of Object.entries(options)) {
    if (key === 'enableFileCheckpointing' && value === false) continue;
    checkKey(key, purpose);
  }
  const { provider, model, systemPrompt, permissionMode, cwd } = options;
  checkProvider(provider);
  checkModelName(model);
  if (systemPrompt !== undefined && typeof systemPrompt !== 'string') {
    throw new ValidationError('systemPrompt must be a string', 'systemPrompt');
  }
  if (permissionMode !== undefined) checkMode(permissionMode);
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === ''))
    throw new ValidationError('cwd must be a path', 'cwd');
  for (const key of COUNTS) if (options[key] !== undefined) checkCount(options[key], key);
  checkLists(options);
  checkGuards(options);
  checkRoleOptions(options);
  checkModelSide(options);
  if (options.env !== undefined) checkEnv(options.env);
  if (options.title !== undefined) checkTitle(options.title);
  if (options.metadata !== undefined) checkMetadata(options.metadata);
  if (options.commandDirectories !== undefined) checkCommandDirectories(options.commandDirectories);
  checkStore(options.store);
  if (options.workspace !== undefined) checkWorkspace(options.workspace, options);
}

/** @throws ValidationError */
export function checkModelName(model: unknown, field = 'model'): asserts model is string {
  if (typeof model !== 'string' || model.trim() === '') {
    throw new ValidationError(`${field} is required: the model's name as the service knows it`, field);
  }
}

/** @throws ValidationError unless it is a text that can be sent */
export function checkText(text: unknown): asserts text is string {
  if (typeof text !== 'string' || text === '') throw new ValidationError('The message must be a text', 'message');
}

/** @throws ValidationError unless `value` is a whole number from 1 */
export function checkCount(value: unknown, field: string): void {
  if (!Number.isInteger(value) || (value as number) < 1) {
    throw new ValidationError(`${field} must be a whole number from 1, not ${String(value)}`, field);
  }
}

function checkLists(options: SessionOptions): void {
  for (const key of LISTS) {
    if (options[key] !== undefined && !Array.isArray(options[key]))
      throw new ValidationError(`${key} must be a list`, key);
  }
  const odd = options.tools?.findIndex((tool) => typeof tool !== 'object' || tool === null) ?? -1;
  if (odd >= 0) throw new ValidationError(`tools[${odd}] is not a tool; see defineTool`, 'tools');
}

function checkProvider(provider: unknown): void {
  if (typeof provider !== 'object' || provider === null) {
    throw new ValidationError("provider is required, e.g. { type: 'openai-compatible', apiKey }", 'provider');
  }
  const { type, createModel } = provider as { type?: unknown; createModel?: unknown };
  if (type === 'custom' && typeof createModel !== 'function') {
    throw new ValidationError('A custom provider needs a createModel function', 'provider');
  }
}

function checkGuards({ canUseTool, hooks, agents, reconcile, validateHandlers }: SessionOptions): void {
  if (canUseTool !== undefined && typeof canUseTool !== 'function') {
    throw new ValidationError('canUseTool must be a function that answers { behavior }', 'canUseTool');
  }
  if (reconcile !== undefined && typeof reconcile !== 'function') {
    throw new ValidationError('reconcile must be a function that settles a call', 'reconcile');
  }
  if (validateHandlers !== undefined && typeof validateHandlers !== 'boolean') {
    throw new ValidationError('validateHandlers must be true or false', 'validateHandlers');
  }
  if (hooks !== undefined) checkHooks(hooks);
  if (agents !== undefined) checkAgents(agents);
}

function checkModelSide({ fallbackModel, prices, retryBudgetMs, onToolTimeout, ...spans }: SessionOptions): void {
  if (onToolTimeout !== undefined && onToolTimeout !== 'result' && onToolTimeout !== 'throw') {
    throw new ValidationError("onToolTimeout must be 'result' or 'throw'", 'onToolTimeout');
  }
  if (retryBudgetMs !== undefined && !(Number.isFinite(retryBudgetMs) && retryBudgetMs >= 0)) {
    throw new ValidationError('retryBudgetMs must be a number of milliseconds from 0', 'retryBudgetMs');
  }
  if (fallbackModel !== undefined) checkFallback(fallbackModel);
  if (prices !== undefined) checkPrices(prices);
  if (spans.tracer !== undefined && typeof spans.tracer?.activate !== 'function') {
    throw new ValidationError(
      'tracer must be what openTelemetryTracer() gives, not a tracer of OpenTelemetry itself',
      'tracer',
    );
  }
  if (spans.recordContent !== undefined && typeof spans.recordContent !== 'boolean') {
    throw new ValidationError('recordContent must be true or false', 'recordContent');
  }
}

function checkFallback(fallback: string | FallbackModel): void {
  if (typeof fallback === 'string') return checkModelName(fallback, 'fallbackModel');
  const odd = Object.keys(fallback ?? {}).find((key) => key !== 'provider' && key !== 'model');
  if (typeof fallback !== 'object' || fallback === null || odd !== undefined) {
    throw new ValidationError('fallbackModel must be a model name or { provider, model }', 'fallbackModel');
  }
  checkProvider(fallback.provider);
  checkModelName(fallback.model, 'fallbackModel');
}

/** A workspace brings its own directory and environment: beside it `cwd` and `env` would do nothing. */
function checkWorkspace(workspace: Workspace, { cwd, env }: SessionOptions): void {
  if (typeof workspace?.cwd !== 'string' || !isAbsolute(workspace.cwd))
    throw new ValidationError('workspace must be a Workspace, its cwd an absolute path', 'workspace');
  const idle = cwd === undefined ? env && 'env' : 'cwd';
  if (idle)
    throw new ValidationError(`${idle} has no effect beside workspace, which brings its own; leave it out`, idle);
}

function checkEnv(env: unknown): void {
  if (!isRecord(env)) throw new ValidationError('env must be a record of texts', 'env');
  for (const [name, value] of Object.entries(env)) {
    if (typeof value === 'string' && name !== '' && !name.includes('=') && !`${name}${value}`.includes('\0')) continue;
    throw new ValidationError(`env.${name} must be a string without NUL, under a name without =`, 'env');
  }
}
