import { describe, expect, it } from 'vitest';
import { chrome, ending, failing, made, tool } from '../test/module-loaders.ts';

describe('ModuleLoader', () => {
  it('keeps a tool of an unloaded module that another group has', async () => {
    const { loader, groups } = made();
    groups.registerGroup('other', { description: 'Other', tools: [tool('click')] });
    await loader.load(chrome());

    await loader.unload('chrome');

    expect([groups.getToolGroup('click'), groups.getAllGroupIds()]).toEqual(['other', ['other']]);
  });

  it('takes the groups away first, waits for calls under way, then shuts down', async () => {
    const { loader, groups } = made();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    await loader.load(
      chrome({
        executeToolCall: async () => {
          await gate.promise;
          order.push('called');
        },
        shutdown: () => void order.push(`shut down, ${groups.getAllGroupIds().length} groups`),
      }),
    );
    const calling = loader.moduleFor('click', ['chrome'])?.execute({}, 'click', {});

    const unloading = loader.unload('chrome');
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${groups.getAllGroupIds().length} groups`);
    gate.resolve();
    await Promise.all([calling, unloading]);

    expect(order).toEqual(['0 groups', 'called', 'shut down, 0 groups']);
  });

  it('unloads what is there, says when it is not, and loads it again', async () => {
    const { loader, ended } = made();
    await loader.load(ending(ended));

    const answers = [await loader.unload('chrome'), await loader.unload('chrome')];
    const report = await loader.load(ending(ended));

    expect([answers, ended, report.ok]).toEqual([[true, false], ['chrome'], true]);
  });

  it('shuts all modules down, the last one first, whatever one of them throws', async () => {
    const { loader, groups, ended, logged } = made();
    await loader.load(ending(ended, { name: 'a' }));
    await loader.load(chrome({ name: 'b', shutdown: failing }));
    await loader.load(ending(ended, { name: 'c' }));

    await Promise.all([loader.shutdown(), loader.shutdown()]);

    expect([ended, loader.names(), groups.getAllGroupIds()]).toEqual([['c', 'a'], [], []]);
    expect(logged).toEqual([expect.objectContaining({ module: 'b' })]);
    expect(await loader.load(chrome())).toMatchObject({ ok: false, error: 'modules_closed' });
  });

  it('goes on when a module does not end in time', async () => {
    const { loader, logged } = made(5);
    const never = () => new Promise<never>(() => undefined);
    await loader.load(chrome({ shutdown: never, executeToolCall: never }));
    void loader.moduleFor('click', ['chrome'])?.execute({}, 'click', {});

    await loader.shutdown();

    expect(loader.names()).toEqual([]);
    expect(logged).toHaveLength(2);
  });

  it('does one thing after the other', async () => {
    const { loader } = made();
    const order: string[] = [];
    const slow = (name: string) =>
      chrome({
        name,
        init: async () => {
          order.push(`init ${name}`);
          await new Promise((resolve) => setImmediate(resolve));
          order.push(`ready ${name}`);
        },
        shutdown: () => void order.push(`end ${name}`),
      });

    await Promise.all([loader.load(slow('a')), loader.unload('a'), loader.load(slow('a')), loader.load(slow('b'))]);

    expect(order).toEqual(['init a', 'ready a', 'end a', 'init a', 'ready a', 'init b', 'ready b']);
  });
});
