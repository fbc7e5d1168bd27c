import { describe, expect, it } from 'vitest';
import { Runtime } from './runtime.ts';
import { memoryOrganization } from './testing/memory-organization.ts';

describe('who may make roles and agents', () => {
  it('makes roles only for agents that are there', async () => {
    const { runtime, roleId } = await started();
    const { id } = await runtime.spawnAgent({ roleId });
    await runtime.terminateAgent(id);

    for (const createdBy of [id, 'nobody', '', 'ROOT']) {
      const made = runtime.createRole({ name: 'other', rolePrompt: '', createdBy });
      await expect(made).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    }
    expect(runtime.listRoles()).toHaveLength(1);
  });

  it.each<['spawn' | 'send', (runtime: Runtime, roleId: string, signal?: AbortSignal) => Promise<unknown>]>([
    ['spawn', (runtime, roleId, signal) => runtime.spawnAgent({ roleId }, signal ? { signal } : {})],
    [
      'send',
      async (runtime, roleId, signal) => {
        const { id } = await runtime.spawnAgent({ roleId });
        return await runtime.sendMessage({ to: id, text: 'Hi.' }, signal ? { signal } : {});
      },
    ],
  ])(
    'ends the wait of a %s when the runtime is shut down, with a signal of the caller or without',
    async (step, act) => {
      for (const own of [undefined, new AbortController().signal]) {
        const reached = Promise.withResolvers<void>();
        const never = new Promise<void>(() => undefined);
        const { runtime, roleId } = await started((asked) => {
          if (asked !== step) return undefined;
          reached.resolve();
          return never;
        });
        const waiting = act(runtime, roleId, own);
        waiting.catch(() => undefined); // looked at below
        await reached.promise;
        await runtime.shutdown();

        await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
      }
    },
  );
});

async function started(before?: (step: string) => Promise<void> | undefined) {
  const runtime = new Runtime({ organization: memoryOrganization(before ? { before } : {}) });
  await runtime.init();
  const { id: roleId } = await runtime.createRole({ name: 'worker', rolePrompt: '' });
  return { runtime, roleId };
}
