import { textOf } from '@x/core';
import { memoryRoleStore, Runtime } from '@x/tool-groups';
import { type OrganizationUnderTest, organizationContract } from '@x/tool-groups/testing';
import { describe, expect, it } from 'vitest';
import { serveOpened } from '../../src/engine/serve-sessions.ts';
import { localEngine, memoryStore } from '../../src/index.ts';
import { optionsOfAgent, rootRole } from '../../src/organization/agent-options.ts';
import { AgentSessions } from '../../src/organization/agent-sessions.ts';
import { bodiesOf, codeOf, scriptedProvider } from '../support/makers.ts';
import { workerRole } from '../support/roles.ts';

async function underTest(): Promise<OrganizationUnderTest> {
  const store = memoryStore();
  const engine = localEngine();
  const { provider } = scriptedProvider(() => ({ text: 'Heard.' }));
  const agents = new AgentSessions({ id: 'acme', store, session: { provider, model: 'm' } }, engine);
  const roles = memoryRoleStore();
  await roles.save(workerRole());
  const runtime = new Runtime({ roles, organization: agents });
  await runtime.init();
  agents.begin(runtime);
  await store.create('root-session', { type: 'session_created', format: 1, cwd: process.cwd() });
  agents.enter({ agentId: 'root', roleId: 'root', createdBy: 'root', sessionId: 'root-session' });
  const serving = await serveOpened({
    engine: agents.engine,
    store,
    options: (sessionId) => agents.optionsFor(sessionId),
    onOpen: (session) => agents.opened(session),
    onEvent: (event, sessionId) => agents.saw(event, sessionId),
  });
  return {
    organization: agents,
    isRunning: (agentId) => agents.sessionOf(agentId) !== undefined,
    async toldTo(agentId) {
      const sessionId = agents.sessionOf(agentId) ?? '';
      const told = (await bodiesOf(store, sessionId)).flatMap((body) =>
        body.type === 'record' && body.record.type === 'message' && body.record.message.role === 'user'
          ? [textOf(body.record.message)]
          : [],
      );
      return [...told, ...(await store.inbox(sessionId)).map(({ message }) => textOf(message))];
    },
    async dispose() {
      await serving[Symbol.asyncDispose]();
      await runtime.shutdown();
      await engine[Symbol.asyncDispose]();
    },
  };
}

describe('a run of an agent', () => {
  it.each([
    [true, 0, 'ABORTED'],
    [true, 1, 'resolved'],
    [false, 0, 'resolved'],
  ])('that begins when its agent has ended (%s) ends at once, at depth %i', async (isEnded, depth, code) => {
    const { provider } = scriptedProvider([]);
    const options = { id: 'acme', store: memoryStore(), session: { provider, model: 'm' } };
    const runtime = new Runtime();
    await runtime.init();
    const parts = { agentId: 'root', role: rootRole(), runtime, options, isEnded: () => isEnded };
    const [first] = optionsOfAgent(parts).handlers ?? [];
    const begin = async () => await first?.beforeAgent?.({} as never, { depth } as never);

    expect(await codeOf(begin())).toBe(code);
  });
});

describe('the organisation over sessions', () => {
  it.each(organizationContract(underTest))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
