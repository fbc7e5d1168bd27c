import { memoryWorkspace, scriptedModel, workspaceContract } from '@x/core/testing';
import { compactNow } from '@x/handlers';
import { modelContract, recordingProxy } from '@x/models/testing';
import { bubblewrapDriver } from '@x/sandbox/driver';
import { driverContract } from '@x/sandbox/testing';
import { localEngine, memoryStore } from '@x/session';
import { engineContract, storeContract } from '@x/session/testing';
import { memoryOrganization, organizationContract, roleStoreContract } from '@x/tool-groups/testing';
import type { Row } from './row.ts';
import { aRun } from './values.ts';

/** What hosts test with, and what needs a run. */
export const testingRows: readonly Row[] = [
  {
    name: 'core/testing: memoryWorkspace',
    act: memoryWorkspace,
    valid: () => ({}),
    keys: ['files', 'commands', 'env'],
  },
  {
    name: 'core/testing: scriptedModel',
    act: (options) => scriptedModel([], options),
    valid: () => ({}),
    keys: ['name', 'contextWindow'],
  },
  {
    name: 'core/testing: workspaceContract',
    act: (options) => workspaceContract(() => ({ workspace: memoryWorkspace() }), options),
    valid: () => ({}),
    keys: ['commands', 'patienceMs'],
  },
  {
    name: 'handlers: compactNow',
    act: (options) => compactNow([], aRun(), options),
    valid: () => ({ model: () => scriptedModel([]) }),
    keys: ['threshold', 'keepShare', 'model'],
    wrong: { threshold: '0.8', model: class {}.name },
  },
  {
    name: 'models/testing: modelContract',
    act: modelContract,
    valid: () => ({ open: () => scriptedModel([]), streams: {} }),
    keys: ['streams', 'cutsPerStream', 'patienceMs'],
  },
  {
    name: 'models/testing: recordingProxy',
    act: recordingProxy,
    valid: () => ({ target: 'http://127.0.0.1:9', onRecording: () => undefined }),
    keys: ['redact', 'directory', 'target'],
    wrong: { target: 7, redact: 'secret' },
  },
  {
    name: 'sandbox/testing: driverContract',
    act: (options) => driverContract(bubblewrapDriver, options),
    valid: () => ({}),
    keys: ['patienceMs'],
  },
  {
    name: 'session/testing: engineContract',
    act: (options) => engineContract(() => ({ engine: localEngine() }) as never, options),
    valid: () => ({}),
    keys: ['patienceMs'],
  },
  {
    name: 'session/testing: storeContract',
    act: (options) => storeContract(() => ({ store: memoryStore() }), options),
    valid: () => ({ lasting: false }),
    keys: ['lasting', 'commandRuns', 'patienceMs'],
  },
  { name: 'tool-groups/testing: memoryOrganization', act: memoryOrganization, valid: () => ({}), keys: ['before'] },
  {
    name: 'tool-groups/testing: organizationContract',
    act: (options) => organizationContract(() => ({ organization: memoryOrganization() }) as never, options),
    valid: () => ({}),
    keys: ['roleId', 'patienceMs'],
  },
  {
    name: 'tool-groups/testing: roleStoreContract',
    act: (options) => roleStoreContract(() => ({}) as never, options),
    valid: () => ({ lasting: false }),
    keys: ['lasting', 'patienceMs'],
  },
];
