import { nearestName, ValidationError } from '@x/core';
import { checkKeys } from '../host/check-keys.ts';
import type { SessionOptions } from './types.ts';

const KNOWN: Readonly<Record<keyof SessionOptions | 'sessionId' | 'takeOver', true>> = {
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
  maxCrashes: true,
  workspace: true,
  autoApprove: true,
  alwaysAsk: true,
  canUseTool: true,
  hooks: true,
  agents: true,
  maxSubagentDepth: true,
  maxParallelSubagents: true,
  onToolTimeout: true,
  fallbackModel: true,
  retryBudgetMs: true,
  prices: true,
  tracer: true,
  recordContent: true,
  outputFormat: true,
  commandDirectories: true,
  title: true,
  metadata: true,
  role: true,
  toolGroups: true,
  sessionId: true,
  takeOver: true,
};

/** Options of the design that are still to come: refused, so that nobody relies on a guard that is not there. */
const NOT_YET = new Set(['mcpServers', 'sandbox', 'enableFileCheckpointing', 'engine']);

/** What people look for among the options and is a field of the service's own requests, in the spellings that are about. */
const OF_THE_SERVICE =
  /^(temperature|(max|maxOutput|maxCompletion)Tokens|top[PK]|seed|stop|stopSequences|(frequency|presence)Penalty|reasoning(Effort)?|thinking|effort|toolChoice)$/;

/** Options that say where a session is forked. */
const FORK_KEYS: readonly string[] = ['messageId', 'copyCheckpoints', 'copyRules'];

/** @throws ValidationError for what is no place to fork at */
export function checkFork(options: object): void {
  checkKeys(options, FORK_KEYS);
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (key === 'messageId' && typeof value !== 'string')
      throw new ValidationError('messageId must be the id of a message', key);
    if (key === 'copyRules' && typeof value !== 'boolean')
      throw new ValidationError('copyRules must be true or false', key);
    if (key === 'copyCheckpoints' && value !== false)
      throw new ValidationError('copyCheckpoints is not supported by this version yet; leave it out', key);
  }
}

/** Whose options are checked. */
export interface Purpose {
  readonly resuming: boolean;
  readonly forking?: boolean;
}

/** Refuses keys that are unknown or still to come. @throws ValidationError with the nearest known name, or all of them */
export function checkKey(key: string, { resuming, forking = false }: Purpose): void {
  if (NOT_YET.has(key)) {
    throw new ValidationError(`${key} is not supported by this version yet; leave it out`, key);
  }
  if (key === 'sessionId' && !resuming) {
    throw new ValidationError('createSession chooses the sessionId itself; use resumeSession to go on with one', key);
  }
  if (key === 'takeOver' && (!resuming || forking)) {
    throw new ValidationError('takeOver says how a session is resumed; use it with resumeSession', key);
  }
  if (Object.hasOwn(KNOWN, key)) return;
  if (FORK_KEYS.includes(key)) {
    if (forking) return;
    throw new ValidationError(`${key} says where a session is forked; use forkSession or session.fork`, key);
  }
  throw new ValidationError(
    `Unknown option ${key}; ${instead(key, [...Object.keys(KNOWN), ...NOT_YET, ...(forking ? FORK_KEYS : [])])}`,
    key,
  );
}

function instead(key: string, known: readonly string[]): string {
  if (OF_THE_SERVICE.test(key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))) {
    return "a field of the service's own requests goes into provider.extraBody, in its spelling there";
  }
  const nearest = nearestName(key, known);
  return nearest === undefined ? `known: ${known.join(', ')}` : `the nearest known one is ${nearest}`;
}
