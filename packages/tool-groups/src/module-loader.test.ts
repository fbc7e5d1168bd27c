import { describe, expect, it } from 'vitest';
import { chrome, made, tool } from '../test/module-loaders.ts';
import type { ModuleRuntime, ToolModule } from './module.ts';

describe('ModuleLoader', () => {
  it('begins a module with its configuration and registers its group', async () => {
    const { loader, groups } = made();
    const seen: unknown[] = [];

    const report = await loader.load(
      chrome({ toolGroupId: 'browser', toolGroupDescription: 'Browses', init: (_, config) => void seen.push(config) }),
      { port: 1 },
    );

    expect(report).toEqual({ ok: true, name: 'chrome', groupId: 'browser' });
    expect(seen).toEqual([{ port: 1 }]);
    expect(groups.listGroups()).toEqual([{ id: 'browser', description: 'Browses', toolCount: 1, tools: ['click'] }]);
  });

  it('names group and description after the module when it says neither', async () => {
    const { loader, groups } = made();

    await loader.load(chrome());

    expect(groups.listGroups()).toEqual([{ id: 'chrome', description: 'chrome', toolCount: 1, tools: ['click'] }]);
  });

  it('hands calls to the module, with context and arguments as they are, and hands back its value', async () => {
    const { loader } = made();
    const seen: unknown[] = [];
    await loader.load(
      chrome({
        executeToolCall: (...given) => {
          seen.push(...given);
          return { clicked: true };
        },
      }),
    );
    const [context, args] = [{ agent: { id: 'a' } }, { at: [1, 2] }];

    const value = await loader.moduleFor('click', ['chrome'])?.execute(context, 'click', args);

    expect(value).toEqual({ clicked: true });
    expect([seen[0] === context, seen[1], seen[2] === args]).toEqual([true, 'click', true]);
  });

  it('rejects with what the module throws, also where it throws at once', async () => {
    const { loader } = made();
    const fault = new Error('no window');
    await loader.load(
      chrome({
        executeToolCall: () => {
          throw fault;
        },
      }),
    );

    await expect(loader.moduleFor('click', ['chrome'])?.execute({}, 'click', {})).rejects.toBe(fault);
  });

  it('finds no module for a tool outside the groups, or that a group no longer has', async () => {
    const { loader } = made();
    await loader.load(chrome());

    expect(loader.moduleFor('click', ['other'])).toBeUndefined();
    expect(loader.moduleFor('click', [])).toBeUndefined();
    expect(loader.moduleFor('toString', ['chrome'])).toBeUndefined();
    await loader.unload('chrome');
    expect(loader.moduleFor('click', ['chrome'])).toBeUndefined();
  });

  it('hands a tool that two modules share to the one whose group may be used, else to the latest', async () => {
    const { loader } = made();
    await loader.load(chrome({ executeToolCall: () => 'chrome' }));
    await loader.load(chrome({ name: 'firefox', executeToolCall: () => 'firefox' }));
    const of = (...groupIds: string[]) => loader.moduleFor('click', groupIds)?.name;

    expect([of('chrome'), of('firefox'), of('firefox', 'chrome')]).toEqual(['chrome', 'firefox', 'firefox']);
  });

  it('takes a module whose methods are inherited', async () => {
    class Chrome implements ToolModule {
      readonly name = 'chrome';
      getToolDefinitions = () => [tool('click')];
      init() {}
      shutdown() {}
      executeToolCall() {
        return this.name;
      }
    }
    const { loader } = made();
    await loader.load(new Chrome());

    expect(await loader.moduleFor('click', ['chrome'])?.execute({}, 'click', {})).toBe('chrome');
  });

  it('gives a module a registrar for groups of its own, which end with it', async () => {
    const { loader, groups } = made();
    groups.registerGroup('workspace', { description: 'Files', tools: [] }, true);
    let given: ModuleRuntime['toolGroups'] | undefined;
    await loader.load(chrome({ init: ({ toolGroups }) => void (given = toolGroups) }));
    await loader.load(chrome({ name: 'other' }));
    const definition = { description: 'More', tools: [tool('scroll')] };

    const answers = [
      given?.registerGroup('more', definition),
      given?.registerGroup('workspace', definition),
      given?.registerGroup('other', definition),
      given?.unregisterGroup('other'),
    ];
    const runner = loader.moduleFor('scroll', ['more'])?.name;
    await loader.unload('chrome');
    const late = given?.registerGroup('late', definition);

    expect(answers).toEqual([
      { ok: true },
      { ok: false, error: 'reserved_group_id' },
      { ok: false, error: 'group_not_owned' },
      { ok: false, error: 'group_not_owned' },
    ]);
    expect([runner, late?.ok, groups.getAllGroupIds()]).toEqual(['chrome', false, ['workspace', 'other']]);
  });

  it('reserves nothing for a module, whatever it passes', async () => {
    const { loader, groups } = made();
    const init = ({ toolGroups }: ModuleRuntime) => {
      const register = toolGroups.registerGroup as (...given: unknown[]) => unknown;
      register('mine', { description: 'Mine', tools: [] }, true);
    };

    await loader.load(chrome({ init }));

    expect([groups.getGroup('mine')?.isReserved, 'updateGroup' in groups.registrar()]).toEqual([false, false]);
  });
});
