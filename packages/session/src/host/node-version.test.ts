import { scriptedModel } from '@x/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createSession } from '../create-session.ts';
import type { RunEngine } from '../engine/run-engine.ts';
import { serveSessions } from '../engine/serve-sessions.ts';
import { createOrganization } from '../organization/create-organization.ts';
import { prompt } from '../prompt.ts';
import { memoryStore } from '../store/memory-store.ts';
import { sqliteStore } from '../store/sqlite-store.ts';
import { requireNode } from './node-version.ts';

const own = Object.getOwnPropertyDescriptor(process.versions, 'node')!;
const runsOn = (value: string) => Object.defineProperty(process.versions, 'node', { ...own, value });
afterEach(() => {
  Object.defineProperty(process.versions, 'node', own);
});

describe('requireNode', () => {
  it.each(['18.20.4', '20.20.2', '22.17.1', '21.9.9'])('refuses %s, and says what is needed', (version) => {
    expect(() => requireNode(version)).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_NODE',
        message: `@x/agent-sdk needs Node 22.18 or later; this is ${version}`,
      }),
    );
  });

  it.each(['22.18.0', '22.22.1', '24.11.0', '26.0.0'])('takes %s', (version) => {
    expect(() => requireNode(version)).not.toThrow();
  });
});

describe('with Node 20', () => {
  const createModel = () => scriptedModel([{ text: 'Hi.' }]);
  const options = { provider: { type: 'custom', createModel }, model: 'm' } as const;

  const refused = {} as RunEngine; // safe: nothing of it is asked

  it.each<[string, () => Promise<unknown>]>([
    ['createSession', async () => await createSession(options)],
    ['createSession with a store', async () => await createSession({ ...options, store: memoryStore() })],
    ['prompt', async () => await prompt('Hi.', { ...options, store: memoryStore() })],
    [
      'createOrganization',
      async () => await createOrganization({ id: 'acme', store: memoryStore(), session: options }),
    ],
    [
      'serveSessions',
      async () => await serveSessions({ engine: refused, store: memoryStore(), options: () => options }),
    ],
    ['sqliteStore', async () => sqliteStore({ path: '/no/such/file' })],
  ])('%s says at once what is needed', async (_, act) => {
    runsOn('20.20.2');

    await expect(act()).rejects.toThrow('@x/agent-sdk needs Node 22.18 or later; this is 20.20.2');
  });
});
