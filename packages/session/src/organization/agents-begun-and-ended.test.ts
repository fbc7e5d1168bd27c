import type { ResultMessage } from '@x/core';
import { Runtime } from '@x/tool-groups';
import { describe, expect, it } from 'vitest';
import { codeOf, scriptedProvider } from '../../test/support/makers.ts';
import { workerRole } from '../../test/support/roles.ts';
import { type ISession, localEngine, memoryStore } from '../index.ts';
import { AgentSessions } from './agent-sessions.ts';
import { countedEngine, Workload } from './workload.ts';

const role = workerRole();
const signal = new AbortController().signal;
const session = (sessionId: string, more: object = {}) => ({ sessionId, ...more }) as ISession; // no more of it is used

function made(store = memoryStore()) {
  const seen: unknown[] = [];
  const { provider } = scriptedProvider([]);
  const onEvent = (_: unknown, agentId: string) => void seen.push(agentId);
  const agents = new AgentSessions({ id: 'acme', store, session: { provider, model: 'm' }, onEvent }, localEngine());
  return { agents, seen, store };
}
async function started() {
  const parts = made();
  const runtime = new Runtime({ organization: parts.agents });
  await runtime.init();
  parts.agents.begin(runtime);
  await parts.agents.spawn({ id: 'a', roleId: 'worker', role, createdBy: 'root' }, { signal });
  return { ...parts, sessionId: parts.agents.sessionOf('a')! }; // it was just spawned
}

describe('AgentSessions', () => {
  it('knows nothing of sessions and agents that are none of its own', async () => {
    const { agents, seen, store } = await started();
    const result = { type: 'result', subtype: 'success', messageId: 'm', content: 'Said.' } as ResultMessage;

    await agents.saw(result, 'other');
    await agents.terminate('other');

    expect([agents.agentOf('other'), agents.sessionOf('other'), agents.optionsFor('other')]).toEqual([
      '',
      undefined,
      undefined,
    ]);
    expect(() => agents.opened(session('other'))).toThrow(expect.objectContaining({ code: 'ABORTED' }));
    expect(seen).toEqual([]);
    expect((await store.list()).sessions).toHaveLength(1);
  });

  it('says that it was not begun where an agent is asked for too early', async () => {
    const { agents } = made();
    agents.enter({ agentId: 'a', roleId: 'worker', createdBy: 'root', sessionId: 's' });

    expect(() => agents.optionsFor('s')).toThrow('The organisation has no runtime yet');
  });

  it.each<[string, (agents: AgentSessions) => Promise<void>]>([
    [
      'a message',
      (agents) => agents.send({ id: 'm', from: 'root', to: 'a', text: 'Hi.' }, { signal: AbortSignal.abort() }),
    ],
    [
      'an agent',
      (agents) =>
        agents.spawn(
          { id: 'b', roleId: 'worker', role, createdBy: 'root', task: 'Go.' },
          { signal: AbortSignal.abort() },
        ),
    ],
  ])('takes no %s that was called off before', async (_, asked) => {
    const { agents, sessionId, store } = await started();

    expect(await codeOf(asked(agents))).toBe('ABORTED');

    expect(await store.inbox(sessionId)).toEqual([]);
    expect((await store.list()).sessions).toHaveLength(1);
  });

  it.each(['root', 'a'])('starts no second agent %s', async (id) => {
    const { agents } = await started();

    const spawning = agents.spawn({ id, roleId: 'worker', role, createdBy: 'root' }, { signal });

    expect(await codeOf(spawning)).toBe('SESSION_EXISTS');
  });

  it('ends an agent whose session is just closing, notes it in the store, and does so once', async () => {
    const { agents, sessionId, store } = await started();
    const done: string[] = [];
    const closed = agents.opened(
      session(sessionId, {
        setMetadata: () => Promise.reject(new Error('closed')),
        abort() {
          done.push('aborted');
          closed(false);
        },
      }),
    );

    await Promise.all([agents.terminate('a'), agents.terminate('a')]);

    expect(done).toEqual(['aborted']);
    expect(agents.sessionOf('a')).toBeUndefined();
    expect((await store.list()).sessions[0]?.metadata).toMatchObject({ agent: 'a', ended: 'true' });
  });

  it('never ends root', async () => {
    const { agents } = made();
    agents.enter({ agentId: 'root', roleId: 'root', createdBy: 'root', sessionId: 's' });

    await agents.terminate('root');

    expect(agents.sessionOf('root')).toBe('s');
    expect(agents.optionsFor('s')).toBeUndefined();
  });
});

describe('countedEngine', () => {
  it('counts what is asked for agents alone, and ends with its engine', async () => {
    const workload = new Workload();
    const inner = localEngine();
    const engine = countedEngine(inner, { workload, isAgent: (sessionId) => sessionId === 'a' });

    await engine.submit('root');
    await engine.submit('a');
    const busy = ['root', 'a'].map((sessionId) => workload.isBusy(sessionId));
    await engine[Symbol.asyncDispose]();

    expect(busy).toEqual([false, true]);
    expect(await codeOf(inner.submit('a'))).toBe('SESSION_CLOSED');
  });
});
