import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CheckpointerOptions, checkpointHandler, createCheckpointer, type RewindOptions } from '@x/checkpoint';
import { checkRewind } from '@x/checkpoint/internal';
import { defineTool, objectSchema } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { createChatModelAgent, memoryJournal, runAgent, subagentTool, ToolExecutor } from '@x/executor';
import { checkAgents, overlap } from '@x/executor/internal';
import { createMcpHub, fileAuthProvider } from '@x/mcp';
import { sessionHub } from '@x/mcp/internal';
import { functionTool, metadataTool, ToolRegistry } from '@x/registry';
import { paginate } from '@x/registry/internal';
import { createSandbox, hostWorkspace } from '@x/sandbox';
import { runtimeTools } from '@x/tools';
import type { Row } from './row.ts';
import { lackingLogger, runOptions } from './values.ts';

const metadata = { name: 'find', description: 'Finds.', parameters: [] };
const definition = { name: 'find', description: 'Finds.', inputSchema: objectSchema({}), execute: async () => '' };
const functionDefinition = {
  type: 'function',
  function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } },
} as const;
const registered = () => {
  const registry = new ToolRegistry();
  registry.register(metadata, async () => 1);
  return registry;
};
export const chatAgent = () => ({ name: 'a', description: 'A.', model: scriptedModel([{ text: 'Hi.' }]) });

/** Packages below the session. */
export const lowerRows: readonly Row[] = [
  {
    name: 'core: defineTool',
    act: defineTool,
    valid: () => definition,
    keys: ['parallelSafe', 'streaming', 'effect'],
    wrong: { name: 7, description: {}, kind: 'read', effect: 'none', execute: class {}.name, inputSchema: class {} },
  },
  {
    name: 'executor: createChatModelAgent',
    act: createChatModelAgent,
    valid: chatAgent,
    keys: ['handlers', 'middlewares', 'tools', 'maxTurns', 'modelOptions', 'toolTimeout', 'workspace'],
    wrong: {
      model: class {},
      modelOptions: { topK: 1 },
      handlers: {},
      maxTurns: '5',
      tools: () => [],
      agents: {},
      onToolTimeout: 'stop',
    },
  },
  {
    name: 'executor: createChatModelAgent, run',
    act: (options) => createChatModelAgent(chatAgent()).run('Hi.', options),
    valid: () => ({}),
    keys: ['signal', 'journal', 'sessionId'],
  },
  {
    name: 'executor: memoryJournal',
    act: memoryJournal,
    valid: () => ({}),
    keys: ['messages', 'records'],
  },
  {
    name: 'executor/internal: overlap',
    act: (options) => overlap([], options),
    valid: () => ({ limit: 1, opensNext: () => true }),
    keys: ['limit', 'opensNext'],
  },
  { name: 'executor: runAgent', act: runAgent, valid: runOptions, keys: ['toolTimeout', 'reconcile', 'pipeline'] },
  {
    name: 'executor: subagentTool',
    act: subagentTool,
    valid: () => ({ agents: [{ name: 'a', description: 'A.' }] }),
    keys: ['maxDepth', 'maxParallel', 'modelFor'],
    wrong: { maxDepth: '2', maxParallel: 0, agents: {} },
  },
  {
    name: 'executor/internal: checkAgents',
    path: 'agents[0]',
    act: (options) => checkAgents([options]),
    valid: () => ({ name: 'a', description: 'A.' }),
    keys: ['tools', 'systemPrompt', 'description'],
    wrong: { tools: 'Read', name: 7, model: 7, systemPrompt: {} },
  },
  {
    name: 'executor: ToolExecutor',
    act: (options) => new ToolExecutor(options),
    valid: () => ({}),
    keys: ['concurrency', 'rateLimit', 'timeout', 'logger'],
    wrong: {
      concurrency: { perToool: 1 },
      rateLimit: { perTool: { limit: 1, window: 1, brust: 2 } },
      timeout: '5',
      logger: lackingLogger,
      workspace: class {},
    },
  },
  {
    name: 'executor: ToolExecutor, execute',
    act: (options) => new ToolExecutor().execute(async () => 1, {}, options),
    valid: () => ({}),
    keys: ['signal', 'timeout', 'retry', 'effect'],
    wrong: { signal: {}, effect: 'none', timeout: '5' },
  },
  {
    name: 'registry: ToolRegistry',
    act: (options) => new ToolRegistry(options),
    valid: () => ({}),
    keys: ['namePattern', 'invoke', 'logger'],
    wrong: { namePattern: 'a', invoke: {}, logger: lackingLogger },
  },
  {
    name: 'registry: ToolRegistry, register',
    act: (options) => new ToolRegistry().register(options, async () => 1),
    valid: () => metadata,
    keys: ['examples', 'category', 'author'],
    wrong: { parameters: { type: 'object' }, name: 7, description: '', tags: 'a', examples: [{ description: '' }] },
  },
  {
    name: 'registry: ToolRegistry, register, third',
    act: (options) => new ToolRegistry().register(metadata, async () => 1, options),
    valid: () => ({}),
    keys: ['overwrite', 'dependencies'],
    wrong: { overwrite: 'yes', dependencies: 'a' },
  },
  {
    name: 'registry: ToolRegistry, execute',
    act: (options) => registered().execute('find', {}, options),
    valid: () => ({}),
    keys: ['signal', 'idempotencyKey', 'invoke'],
    wrong: { signal: {}, invoke: {}, idempotencyKey: 7 },
  },
  {
    name: 'registry: ToolRegistry, unregister',
    act: (options) => registered().unregister('find', options),
    valid: () => ({}),
    keys: ['force'],
  },
  {
    name: 'registry: functionTool',
    act: (options) => functionTool(functionDefinition, async () => 1, options),
    valid: () => ({}),
    keys: ['parallelSafe', 'effect'],
    wrong: { kind: 'read', effect: 'none' },
  },
  {
    name: 'registry: metadataTool',
    act: (options) => metadataTool(metadata, async () => 1, options),
    valid: () => ({}),
    keys: ['parallelSafe', 'effect'],
    wrong: { kind: 'read', effect: 'none' },
  },
  {
    name: 'registry/internal: paginate',
    act: (options) => paginate([], options),
    valid: () => ({}),
    keys: ['page', 'limit'],
    wrong: { limit: '5', page: 0 },
  },
  {
    name: 'sandbox: hostWorkspace',
    act: hostWorkspace,
    valid: () => ({ cwd: '.' }),
    keys: ['cwd'],
    wrong: { cwd: 7 },
  },
  {
    name: 'checkpoint: createCheckpointer',
    act: async (options: CheckpointerOptions) => {
      await (await createCheckpointer(options)).close();
      rmSync(options.file);
    },
    valid: () => ({ cwd: import.meta.dirname, file: join(tmpdir(), `slips-${crypto.randomUUID()}`) }),
    keys: ['cwd', 'file', 'maxFiles', 'maxFileBytes', 'maxTotalBytes', 'leaveOut', 'waitMs', 'onProblem'],
    wrong: { cwd: 7, file: 7, maxFiles: 1.5, maxTotalBytes: -1, leaveOut: 'data.db', waitMs: '1 s', onProblem: 'log' },
  },
  {
    name: 'checkpoint: checkpointHandler',
    act: checkpointHandler,
    valid: () => ({ checkpointer: () => Promise.reject(new Error('not opened')) }),
    keys: ['checkpointer', 'isThroughWorkspace'],
    wrong: { checkpointer: { checkpoint: true }, isThroughWorkspace: ['Write'] },
  },
  {
    name: 'checkpoint/internal: checkRewind',
    act: (options: RewindOptions) => checkRewind('message', options),
    valid: () => ({}),
    keys: ['dryRun', 'force', 'paths', 'callId'],
    wrong: { dryRun: 'yes', force: 1, paths: 'a', callId: '' },
  },
  {
    name: 'mcp: fileAuthProvider',
    act: fileAuthProvider,
    valid: () => ({
      file: join(tmpdir(), crypto.randomUUID()),
      redirectUrl: 'http://localhost/',
      redirect: () => undefined,
    }),
    keys: ['file', 'redirectUrl', 'redirect', 'clientName', 'client', 'clientMetadataUrl', 'scope'],
    wrong: {
      file: 7,
      redirectUrl: 'here',
      redirect: 'open',
      clientName: '',
      client: {},
      clientMetadataUrl: 'a',
      scope: 7,
    },
  },
  {
    name: 'mcp: createMcpHub',
    act: createMcpHub,
    valid: () => ({ servers: {} }),
    keys: 'servers cwd env pins onPin onNotice cache limits reconnect handlers launch'.split(' '),
    wrong: {
      servers: 7,
      env: ['A=1'],
      pins: [{ serverName: 'a', name: 'b' }],
      onPin: true,
      onNotice: 'log',
      cache: new Set(),
      limits: { maxTools: 0 },
      reconnect: { attempts: -1 },
      handlers: { roots: [] },
      launch: 'sh',
    },
  },
  {
    name: 'mcp/internal: sessionHub',
    act: (options) => sessionHub(options, () => undefined),
    valid: () => ({ servers: {} }),
    keys: 'servers cwd pins onNotice knownWaitMs'.split(' '),
    wrong: { servers: 7, pins: [{ serverName: 'a', name: 'b' }], onNotice: 'log', knownWaitMs: -1 },
  },
  {
    name: 'sandbox: createSandbox',
    act: createSandbox,
    valid: () => ({ cwd: import.meta.dirname, driver: 'none' }),
    keys: ['cwd', 'network', 'filesystem', 'limits', 'driver', 'ignoreFileViolations'],
    wrong: { cwd: 7, network: 'none', filesystem: ['/tmp'], limits: 4, driver: class {}, env: 'A=1' },
  },
  {
    name: 'tools: runtimeTools',
    act: runtimeTools,
    valid: () => ({}),
    keys: ['artifactDirectory', 'logger', 'print'],
    wrong: { artifactDirectory: 7, logger: lackingLogger, print: {} },
  },
];
