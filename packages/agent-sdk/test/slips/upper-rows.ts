import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { supportedModels } from '@x/models';
import {
  answerQuestion,
  backupStore,
  compactStore,
  createOrganization,
  createSession,
  deleteSession,
  diagnose,
  exportSession,
  forkSession,
  importSession,
  listSessions,
  localEngine,
  memoryStore,
  prompt,
  pruneSessions,
  resumeSession,
  serveSessions,
  sessionUsage,
  sqliteStore,
  watchSession,
} from '@x/session';
import { toAGUIStream } from '@x/session/ag-ui';
import { releaseSession, retrySession } from '@x/session/operations';
import { toUIMessageStream } from '@x/session/ui';
import { fileRoleStore, Runtime, ToolGroupManager, toolAccessHandler } from '@x/tool-groups';
import { checkRole } from '@x/tool-groups/internal';
import { afterAll } from 'vitest';
import type { Row } from './row.ts';
import { lackingLogger, provider, Store } from './values.ts';

const store = memoryStore();
const folder = mkdtempSync(join(tmpdir(), 'slips-'));
const fileStore = () => sqliteStore({ path: join(folder, 'sessions.db') });
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const options = () => ({ provider, model: 'm', store });
const made = await createSession(options());
const { sessionId } = made;
const SESSION_KEYS = [
  'disallowedTools',
  'allowedTools',
  'permissionMode',
  'alwaysAsk',
  'canUseTool',
  'askPolicy',
  'questionTtlMs',
  'askUser',
  'handlers',
  'hooks',
  'maxTurns',
  'modelOptions',
  'workspace',
];
const WRONG = {
  disallowedTools: 'Bash',
  permissionMode: 'defualt',
  canUseTool: {},
  askPolicy: true,
  questionTtlMs: '1 day',
  askUser: 'yes',
  handlers: [class Guard {}],
  hooks: () => ({}),
  maxTurns: '5',
  modelOptions: { temprature: 1 },
  store: Store,
  workspace: class {},
  tools: {},
};
const role = () => ({
  id: 'r',
  name: 'r',
  rolePrompt: '',
  createdBy: 'root',
  createdAt: '2026-01-11T08:00:00.000Z',
  status: 'active',
  llmServiceId: null,
});

/** Sessions, organisations, tool groups. */
export const upperRows: readonly Row[] = [
  { name: 'session: createSession', act: createSession, valid: options, keys: SESSION_KEYS, wrong: WRONG },
  {
    name: 'session: resumeSession',
    act: resumeSession,
    valid: () => ({ ...options(), sessionId }),
    keys: SESSION_KEYS,
    wrong: { ...WRONG, sessionId: 7 },
  },
  {
    name: 'session: forkSession',
    act: forkSession,
    valid: () => ({ ...options(), sessionId }),
    keys: [...SESSION_KEYS, 'messageId'],
    wrong: { ...WRONG, messageId: 7 },
  },
  {
    name: 'session: prompt',
    act: (given) => prompt('Hi.', given),
    valid: options,
    keys: SESSION_KEYS,
    wrong: WRONG,
  },
  {
    name: 'session: createOrganization',
    act: createOrganization,
    valid: () => ({ id: 'o', store, session: { provider, model: 'm' } }),
    keys: ['limits', 'toolGroups', 'defaultToolGroups', 'rootPrompt', 'logger'],
    wrong: { store: Store, session: class {}.name, logger: lackingLogger, limits: { maxAgent: 1 }, onEvent: {} },
  },
  {
    name: 'session: watchSession',
    act: watchSession,
    valid: () => ({ store, sessionId, signal: AbortSignal.abort() }), // otherwise it waits for a run
    keys: ['store', 'sessionId', 'from', 'signal'],
    wrong: { store: Store, sessionId: 7, from: 3, signal: {} },
  },
  {
    name: 'session: deleteSession',
    act: (given) => deleteSession('no-such-session', given),
    valid: () => ({ store: memoryStoreWith('no-such-session') }),
    keys: ['store'],
    wrong: { store: Store },
  },
  {
    name: 'session/operations: releaseSession',
    act: (given) => releaseSession('no-such-session', given),
    valid: () => ({ store: memoryStoreWith('no-such-session') }),
    keys: ['store'],
    wrong: { store: Store },
  },
  {
    name: 'session/operations: retrySession',
    act: retrySession,
    valid: () => ({ ...options(), sessionId }),
    keys: SESSION_KEYS,
    wrong: { ...WRONG, sessionId: 7 },
  },
  {
    name: 'session: pruneSessions',
    act: pruneSessions,
    valid: () => ({ store: memoryStore(), olderThan: new Date(0) }),
    keys: ['keep', 'signal'],
    wrong: { store: Store, olderThan: '2026', keep: 's1', signal: {} },
  },
  {
    name: 'session: backupStore',
    act: backupStore,
    valid: () => ({ store: fileStore(), to: join(folder, crypto.randomUUID()) }),
    keys: ['signal', 'overwrite'],
    wrong: { store: Store, to: 1, signal: {} },
  },
  {
    name: 'session: compactStore',
    act: compactStore,
    valid: () => ({ store: fileStore() }),
    keys: ['store'],
    wrong: { store: Store },
  },
  {
    name: 'session: listSessions',
    act: listSessions,
    valid: () => ({ store }),
    keys: ['cursor', 'limit', 'state', 'metadata'],
    wrong: { limit: '5', store: Store, state: 'Idle', metadata: { user: 7 } },
  },
  {
    name: 'session/ui: toUIMessageStream',
    act: (given) => void toUIMessageStream(given).cancel(),
    valid: () => ({ store, sessionId }),
    keys: ['store', 'sessionId', 'messageId', 'from', 'signal'],
    wrong: { store: Store, sessionId: 7, messageId: 3, from: 3, signal: {} },
  },
  {
    name: 'session/ag-ui: toAGUIStream',
    act: (given) => void toAGUIStream(given).cancel(),
    valid: () => ({ store, sessionId }),
    keys: ['store', 'sessionId', 'messageId', 'from', 'signal'],
    wrong: { store: Store, sessionId: 7, messageId: 3, from: 3, signal: {} },
  },
  {
    name: 'session: answerQuestion',
    act: answerQuestion,
    valid: () => ({ store, sessionId, callId: 'c', answer: { behavior: 'allow' } }), // no question is open: no error of the options
    keys: ['store', 'sessionId', 'callId', 'answer'],
    wrong: { store: Store, sessionId: 7, callId: 7, answer: 'allow' },
  },
  {
    name: 'session: answerQuestion, answer',
    path: 'answer',
    act: (answer) => answerQuestion({ store, sessionId, callId: 'c', answer }),
    valid: () => ({ behavior: 'allow' }),
    keys: ['updatedInput', 'remember'],
    wrong: { behavior: 'Allow', remember: 'Read', key: 7 },
  },
  {
    name: 'session: exportSession',
    act: (given) => exportSession(sessionId, given),
    valid: () => ({ store }),
    keys: ['store'],
    wrong: { store: Store },
  },
  {
    name: 'session: importSession',
    act: (given) => importSession(exportSession(sessionId, { store }), given),
    valid: () => ({ store: memoryStore() }),
    keys: ['sessionId'],
    wrong: { store: Store },
  },
  {
    name: 'session: sessionUsage',
    act: (given) => sessionUsage(store, sessionId, given),
    valid: () => ({}),
    keys: ['prices'],
    wrong: { prices: [] },
  },
  {
    name: 'session: diagnose',
    act: diagnose,
    valid: () => ({ signal: AbortSignal.abort() }),
    keys: ['storePath', 'signal'],
  },
  {
    name: 'session: localEngine',
    act: localEngine,
    valid: () => ({}),
    keys: ['retryDelay'],
    wrong: { retryDelay: '5' },
  },
  {
    name: 'session: serveSessions',
    act: serveSessions,
    valid: () => ({ engine: localEngine(), store, options }),
    keys: ['onError', 'onEvent', 'meter'],
    wrong: { engine: class {}, store: Store, onEvent: {}, options: {}, meter: {} },
  },
  {
    name: 'models: supportedModels',
    act: (given) => supportedModels({ type: 'openai-compatible', apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }, given),
    valid: () => ({ signal: AbortSignal.abort() }),
    keys: ['signal'],
  },
  {
    name: 'tool-groups: ToolGroupManager',
    act: (given) => new ToolGroupManager(given),
    valid: () => ({}),
    keys: ['logger'],
    wrong: { logger: lackingLogger },
  },
  {
    name: 'tool-groups: Runtime',
    act: (given) => void new Runtime(given),
    valid: () => ({}),
    keys: ['toolGroups', 'defaultToolGroups', 'limits', 'organization', 'logger'],
    wrong: {
      logger: lackingLogger,
      limits: { maxAgent: 1 },
      tools: {},
      defaultToolGroups: 'none',
      config: { module: [] },
      toolGroups: { g: { description: 'G.', tools: [], tool: [] } },
    },
  },
  {
    name: 'tool-groups: toolAccessHandler',
    act: toolAccessHandler,
    valid: () => ({ isAllowed: () => true }),
    keys: ['isAllowed'],
    wrong: { isAllowed: true },
  },
  {
    name: 'tool-groups/internal: checkRole',
    act: checkRole,
    valid: role,
    keys: ['toolGroups', 'status'],
    wrong: { toolGroups: 'all', status: 'on', rolePrompt: 7, llmServiceId: 7 },
  },
  {
    name: 'tool-groups: fileRoleStore',
    act: fileRoleStore,
    valid: () => ({ directory: '/no/such/directory' }),
    keys: ['directory', 'onDamaged'],
    wrong: { directory: 7, onDamaged: {} },
  },
];

function memoryStoreWith(id: string) {
  const one = memoryStore();
  void one.create(id, { type: 'session_created', format: 1, cwd: '/' });
  return one;
}
