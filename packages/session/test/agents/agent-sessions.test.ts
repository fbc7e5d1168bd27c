import type { ResultMessage } from '@x/core';
import { memoryRoleStore, Runtime, type ToolModule } from '@x/tool-groups';
import { describe, expect, it } from 'vitest';
import {
  createOrganization,
  type EntryBody,
  listSessions,
  localEngine,
  memoryStore,
  type SessionStore,
} from '../../src/index.ts';
import { answerTo } from '../../src/organization/agent-answer.ts';
import { AgentSessions } from '../../src/organization/agent-sessions.ts';
import { Workload } from '../../src/organization/workload.ts';
import { codeOf, scriptedProvider } from '../support/makers.ts';
import { workerRole } from '../support/roles.ts';

const role = workerRole();
const agent = { id: 'a', roleId: 'worker', role, createdBy: 'root', task: 'Count.' };
const waiting = () => ({ signal: new AbortController().signal });

async function started(store: SessionStore) {
  const { provider } = scriptedProvider([]);
  const agents = new AgentSessions({ id: 'acme', store, session: { provider, model: 'm' } }, localEngine());
  const runtime = new Runtime({ organization: agents });
  await runtime.init();
  agents.begin(runtime);
  return agents;
}
const sessionsIn = async (store: SessionStore) => (await listSessions({ store })).sessions;

describe('AgentSessions', () => {
  it('leaves nothing behind of an agent whose task cannot be kept', async () => {
    const inner = memoryStore();
    const agents = await started({ ...inner, enqueue: () => Promise.reject(new Error('full')) });

    await expect(agents.spawn(agent, waiting())).rejects.toThrow('full');

    expect(await sessionsIn(inner)).toEqual([]);
    expect(agents.sessionOf('a')).toBeUndefined();
  });

  it.each(['create', 'enqueue', 'release'] as const)(
    'leaves nothing behind when it is called off at %s',
    async (step) => {
      const inner = memoryStore();
      const controller = new AbortController();
      const store: SessionStore = {
        ...inner,
        async [step](...args: never[]) {
          const done = await (inner[step] as (...given: never[]) => Promise<never>)(...args);
          controller.abort();
          return done;
        },
      };
      const agents = await started(store);

      expect(await codeOf(agents.spawn(agent, controller))).toBe('ABORTED');

      expect(await sessionsIn(inner)).toEqual([]);
      expect(agents.sessionOf('a')).toBeUndefined();
    },
  );

  it('starts one agent of an id, however many ask at once', async () => {
    const store = memoryStore();
    const agents = await started(store);

    const answers = await Promise.allSettled([agents.spawn(agent, waiting()), agents.spawn(agent, waiting())]);

    expect(answers).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'SESSION_EXISTS' } }]);
    expect(await sessionsIn(store)).toHaveLength(1);
  });

  it('takes no message for an agent whose end has begun, and gives it no options to run with', async () => {
    const inner = memoryStore();
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const acquire: SessionStore['acquire'] = async (...args) => {
      if (isHeld) await gate.promise;
      return await inner.acquire(...args);
    };
    const agents = await started({ ...inner, acquire });
    await agents.spawn(agent, waiting());
    const sessionId = agents.sessionOf('a') ?? '';
    isHeld = true;
    const ending = agents.terminate('a');

    const sent = await codeOf(agents.send({ id: 'm', from: 'root', to: 'a', text: 'Hi.' }, waiting()));
    const options = agents.optionsFor(sessionId);
    gate.resolve();
    await ending;

    expect([sent, options]).toEqual(['SESSION_NOT_FOUND', undefined]);
    expect(await inner.inbox(sessionId)).toHaveLength(1);
  });

  it('has noted the end of an agent before it stops it', async () => {
    const store = memoryStore();
    const roles = memoryRoleStore();
    await roles.save({ ...role, toolGroups: ['slow'] });
    const begun = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    const stopped = Promise.withResolvers<void>();
    const slow: ToolModule = {
      name: 'slow',
      getToolDefinitions: () => [
        { type: 'function', function: { name: 'slow', description: 'Hangs.', parameters: { type: 'object' } } },
      ],
      executeToolCall({ signal }) {
        begun.resolve();
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))));
      },
      init: () => undefined,
      shutdown: () => undefined,
    };
    const { provider } = scriptedProvider([{ toolCalls: [{ name: 'slow', input: {} }] }]);
    const organization = await createOrganization({
      id: 'acme',
      store,
      roles,
      modules: [slow],
      session: {
        provider,
        model: 'm',
        permissionMode: 'bypassPermissions',
        handlers: [
          {
            name: 'watch',
            async runEnded() {
              const { sessions } = await listSessions({ store });
              seen.push(sessions.find(({ metadata }) => metadata?.['agent'] !== 'root')?.metadata?.['ended']);
              stopped.resolve();
            },
          },
        ],
      },
    });
    const { id } = await organization.runtime.spawnAgent({ roleId: 'worker', task: 'Work.' });
    await begun.promise;
    await Promise.all([organization.runtime.terminateAgent(id), stopped.promise]);
    await organization.close();

    expect(seen).toEqual(['true']);
  });
});

describe('answerTo', () => {
  const result = (subtype: ResultMessage['subtype']) =>
    ({
      type: 'result',
      subtype,
      messageId: 'm',
      content: 'Said.',
      error: 'broken',
      usage: {},
    }) as unknown as ResultMessage;

  it.each<[ResultMessage['subtype'], string | undefined]>([
    ['success', 'Said.'],
    ['error', 'It has failed: broken'],
    ['max_turns', expect.stringContaining('limit of turns')],
    ['aborted', undefined],
  ])('tells of the end of a run: %s', async (subtype, text) => {
    const store = memoryStore();
    await store.create('s', { type: 'session_created', format: 1, cwd: '/' });

    const answer = await answerTo(result(subtype), { store, sessionId: 's' });

    expect(answer?.text).toEqual(text);
  });

  it('tells nothing of a run that failed without an end: whoever goes on with it answers', async () => {
    const store = memoryStore();
    await store.create('s', { type: 'session_created', format: 1, cwd: '/' });
    const begun: EntryBody = { type: 'run_started', runId: 'r', messageId: 'm', model: 'm' };
    await store.append('s', { epoch: 0, head: 1 }, [begun]);

    expect(await answerTo(result('error'), { store, sessionId: 's' })).toBeUndefined();
  });
});

describe('Workload', () => {
  it('keeps a session that was asked for again while it was run', () => {
    const workload = new Workload();
    workload.asked('s');
    const done = workload.begun('s');
    workload.asked('s');
    done();

    expect(workload.isBusy('s')).toBe(true);
    workload.begun('s')();
    expect(workload.isIdle).toBe(true);
  });
});
