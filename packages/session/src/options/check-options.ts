import { isAbsolute } from 'node:path';
import { ValidationError } from '@x/core';
import { MODEL_ERROR_CODES, MODEL_OPTIONS } from '@x/core/internal';
import { isKeyed } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions as checkRules, checkValue, type OptionRules } from '@x/errors/option-rules';
import { checkAgents } from '@x/executor/internal';
import { checkHooks, checkMode } from '@x/handlers/internal';
import { checkServers, HOST_HANDLERS, LOG_LEVEL } from '@x/mcp/internal';
import { checkPrices, PROVIDER_TYPES } from '@x/models/internal';
import { TOOL_DISCOVERY } from '../discovery/discovery-options.ts';
import { METADATA, TITLE } from '../log/title.ts';
import { STORE } from '../store/using-store.ts';
import { checkKey, FORK, type Purpose } from './known-options.ts';
import { checkRoleOptions } from './role-access.ts';
import { checkSessionSandbox } from './sandbox-options.ts';
import type { CustomProvider, FallbackModel } from './session-models.ts';
import type { ForkOptions, ResumeOptions, SessionOptions } from './types.ts';

const MODEL = is.required(is.words, "the model's name as the service knows it");
/** Rule of a provider; the fields of a service are checked when the model is created. */
const TYPE = is.required(is.oneOf(...PROVIDER_TYPES, 'custom'));
const PROVIDER = is.secret(
  is.rule(
    "an object, e.g. { type: 'openai-compatible', apiKey }",
    (value) => typeof value === 'object' && value !== null,
    (value, path) => {
      const custom = value as Partial<CustomProvider>; // safe: read as possibly absent
      checkValue(`${path}.type`, custom.type, TYPE);
      if (custom.type !== 'custom') return;
      checkValue(`${path}.createModel`, custom.createModel, is.required(is.callback));
    },
  ),
);
const FALLBACK: OptionRules<FallbackModel> = { provider: PROVIDER, model: MODEL, on: MODEL_ERROR_CODES };
const FALLBACK_MODEL = is.either(is.nested(FALLBACK), is.words, 'a model name or { model, provider, on }');
const TEXT_OF_ENV = is.secret(
  is.rule('a text without NUL', (value) => typeof value === 'string' && !value.includes('\0')),
);
const NAME_OF_ENV = is.rule(
  'not empty and without = and NUL',
  (name) => typeof name === 'string' && /^[^=\0]+$/.test(name),
);
const WORKSPACE = is.rule('a Workspace, its cwd an absolute path', (value) => {
  const { cwd } = (value ?? {}) as { readonly cwd?: unknown }; // safe: read as unknown
  return typeof cwd === 'string' && isAbsolute(cwd);
});
/** A thousand years. */
const MOST_TTL_MS = 1000 * 366 * 86_400_000;
export const SESSION: OptionRules<SessionOptions> = {
  provider: is.required(PROVIDER),
  model: MODEL,
  modelOptions: MODEL_OPTIONS,
  systemPrompt: is.text,
  permissionMode: is.checked(checkMode),
  cwd: is.filePath,
  maxTurns: is.count(),
  maxCost: is.rule('a number of US dollars above 0', (value) => Number.isFinite(value) && (value as number) > 0), // safe: it is a number
  maxParallelTools: is.count(),
  maxToolOutputBytes: is.count(),
  toolTimeout: is.count(),
  maxSubagentDepth: is.count(),
  maxParallelSubagents: is.count(),
  maxCrashes: is.count(),
  allowedTools: is.list,
  disallowedTools: is.list,
  autoApprove: is.list,
  alwaysAsk: is.list,
  tools: is.listOf(is.rule('a tool; see defineTool', (value) => typeof value === 'object' && value !== null)),
  handlers: is.list, // `Pipeline` checks what is in them
  middlewares: is.list,
  canUseTool: is.callback,
  askPolicy: is.oneOf('refuse', 'wait'),
  questionTtlMs: is.count(1, MOST_TTL_MS),
  askUser: is.flag,
  reconcile: is.callback,
  validateHandlers: is.flag,
  hooks: is.checked(checkHooks),
  agents: is.checked((agents, path) => checkAgents(agents as never, path)), // safe: checked there
  role: is.anything, // `checkRoleOptions` checks both
  toolGroups: is.anything,
  onToolTimeout: is.oneOf('result', 'throw'),
  retryBudgetMs: is.finiteMilliseconds(),
  fallbackModel: is.either(
    is.filledListOf(FALLBACK_MODEL, ''),
    FALLBACK_MODEL,
    `${FALLBACK_MODEL.duty}, or a list of them that is not empty`,
  ),
  prices: is.checked(checkPrices),
  tracer: is.having('what openTelemetryTracer() gives, not a tracer of OpenTelemetry itself', 'activate'),
  recordContent: is.flag,
  outputFormat: is.anything, // its handler checks it
  mcpServers: is.rule('an object of servers', isKeyed, (servers) => checkServers(servers as never)), // safe: checked there
  mcpStartWait: is.finiteMilliseconds(),
  toolDiscovery: TOOL_DISCOVERY,
  mcpHandlers: is.nested(HOST_HANDLERS),
  mcpLogLevel: LOG_LEVEL,
  env: is.secret(is.recordOf(TEXT_OF_ENV, 'an object of texts', NAME_OF_ENV)),
  title: TITLE,
  metadata: METADATA,
  commandDirectories: is.listOf(is.filePath, 'a list of paths'),
  store: STORE,
  workspace: WORKSPACE,
  sandbox: is.checked(checkSessionSandbox),
  enableFileCheckpointing: is.flag,
};
const RESUME: OptionRules<ResumeOptions> = {
  ...SESSION,
  sessionId: is.required(is.text, 'the id of a session'),
  takeOver: is.flag,
};
const FORKED: OptionRules<ForkOptions> = { ...SESSION, ...FORK, sessionId: RESUME.sessionId };

/** Refuses unknown, unsupported and invalid options, each with advice. @throws ValidationError */
export function checkOptions(options: SessionOptions, purpose: Purpose): void {
  const rules = purpose.forking ? FORKED : purpose.resuming ? RESUME : SESSION;
  for (const key of Object.keys(options ?? {})) if (!Object.hasOwn(SESSION, key)) checkKey(key, purpose);
  checkRules('The options', options, rules);
  checkRoleOptions(options);
  const { workspace, cwd, env, sandbox } = options;
  const own = workspace && (cwd === undefined ? env && 'env' : 'cwd'); // a workspace brings its own
  if (own) throw new ValidationError(`${own} has no effect next to workspace, which brings its own; leave it out`, own);
  if (workspace && options.enableFileCheckpointing) {
    const message = 'enableFileCheckpointing remembers files of this machine, and workspace brings its own';
    throw new ValidationError(message, 'enableFileCheckpointing');
  }
  const { copyCheckpoints } = options as ForkOptions; // safe: read as possibly absent
  if (copyCheckpoints && !options.enableFileCheckpointing) {
    throw new ValidationError(
      'copyCheckpoints needs enableFileCheckpointing: true, or nobody uses them',
      'copyCheckpoints',
    );
  }
  if (workspace && sandbox?.enabled) {
    throw new ValidationError('sandbox contains the commands of this machine, and workspace brings its own', 'sandbox');
  }
}

/** @throws ValidationError */
export function checkModelName(model: unknown): asserts model is string {
  checkValue('model', model, MODEL);
}
