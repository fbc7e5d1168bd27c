import { silentLogger } from '@x/core';
import type { FunctionDefinition } from '@x/registry';
import { describe, expect, it } from 'vitest';
import type { ModuleRuntime, ToolModule } from './module.ts';
import { ModuleLoader } from './module-loader.ts';
import { ToolGroupManager } from './tool-group-manager.ts';

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

  it('keeps a tool of an unloaded module that another group has', async () => {
    const { loader, groups } = made();
    groups.registerGroup('other', { description: 'Other', tools: [tool('click')] });
    await loader.load(chrome());

    await loader.unload('chrome');

    expect([groups.getToolGroup('click'), groups.getAllGroupIds()]).toEqual(['other', ['other']]);
  });

  it('refuses a reserved group, shuts the module down, and loads the next one', async () => {
    const { loader, groups, ended } = made();
    groups.registerGroup('workspace', { description: 'Files', tools: [] }, true);

    const reports = [
      await loader.load(ending(ended, { toolGroupId: 'workspace' })),
      await loader.load(chrome({ name: 'next' })),
    ];

    expect(reports).toMatchObject([{ ok: false, name: 'chrome', error: 'reserved_group_id' }, { ok: true }]);
    expect([ended, loader.names()]).toEqual([['chrome'], ['next']]);
  });

  it.each<[string, Partial<ToolModule>, string]>([
    ['throws in init', { init: failing }, 'module_init_failed'],
    ['rejects in init', { init: async () => failing() }, 'module_init_failed'],
    ['throws in getToolDefinitions', { getToolDefinitions: failing }, 'module_definitions_failed'],
    ['has definitions that are none', { getToolDefinitions: () => 'tools' as never }, 'invalid_group_def'],
    [
      'defines a tool of another group otherwise',
      { getToolDefinitions: () => [tool('taken', 'mine')] },
      'tool_conflict',
    ],
  ])('reports a module that %s, shuts it down, and loads the next one', async (_fault, parts, error) => {
    const { loader, groups, ended, logged } = made();
    groups.registerGroup('other', { description: 'Other', tools: [tool('taken')] });

    const reports = [await loader.load(ending(ended, parts)), await loader.load(chrome({ name: 'next' }))];

    expect(reports).toMatchObject([
      { ok: false, name: 'chrome', error },
      { ok: true, name: 'next' },
    ]);
    expect([ended, groups.getAllGroupIds()]).toEqual([['chrome'], ['other', 'next']]);
    expect(logged).toEqual([expect.objectContaining({ name: 'chrome', error })]);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'chrome'],
    ['a module without a name', { ...chrome(), name: '' }],
    ['a group id that is empty', { ...chrome(), toolGroupId: '' }],
    ['a description that is none', { ...chrome(), toolGroupDescription: 7 }],
    ['a module without init', { ...chrome(), init: undefined }],
    ['a module without shutdown', { ...chrome(), shutdown: undefined }],
    ['a module that cannot be read', Object.defineProperty({}, 'name', { get: failing })],
  ])('refuses %s', async (_what, module) => {
    const { loader } = made();

    const report = await loader.load(module as ToolModule);

    expect(report).toMatchObject({ ok: false, error: 'invalid_module' });
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

  it('refuses a second module of a name or a group, and begins it not', async () => {
    const { loader } = made();
    await loader.load(chrome());

    const reports = [
      await loader.load(chrome({ init: failing })),
      await loader.load(chrome({ name: 'b', toolGroupId: 'chrome', init: failing })),
    ];

    expect(reports).toMatchObject(Array(2).fill({ ok: false, error: 'duplicate_module' }));
    expect(loader.names()).toEqual(['chrome']);
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

  it('gives up a module that does not start in time, tells it so, and shuts it down', async () => {
    const { loader, groups, ended } = made(5);
    let signal: AbortSignal | undefined;
    const init = (runtime: ModuleRuntime) => {
      signal = runtime.signal;
      return new Promise<void>(() => undefined);
    };

    const report = await loader.load(ending(ended, { init }));

    expect(report).toMatchObject({ ok: false, error: 'module_init_failed', cause: { code: 'TIMEOUT' } });
    expect([signal?.aborted, ended, groups.getAllGroupIds()]).toEqual([true, ['chrome'], []]);
  });

  it('gives up a start under way when it is shut down', async () => {
    const { loader, ended } = made();
    const begun = Promise.withResolvers<void>();
    const init = () => {
      begun.resolve();
      return new Promise<void>(() => undefined);
    };
    const loading = loader.load(ending(ended, { init }));
    await begun.promise;

    await loader.shutdown();

    expect(await loading).toMatchObject({ ok: false, error: 'module_init_failed', cause: { code: 'ABORTED' } });
    expect(ended).toEqual(['chrome']);
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

  it.each([
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeout: 3 }, 'timeout'],
  ])('refuses the options %j', (options, field) => {
    const given = { groups: new ToolGroupManager(), ...options };

    expect(() => new ModuleLoader(given)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  });
});

function made(timeoutMs = 10_000) {
  const groups = new ToolGroupManager();
  const logged: object[] = [];
  const note = (fields: object) => void logged.push(fields);
  const logger = { ...silentLogger, error: note, warn: note };
  return { groups, logged, ended: [] as string[], loader: new ModuleLoader({ groups, logger, timeoutMs }) };
}

function chrome(parts: Partial<ToolModule> = {}): ToolModule {
  return {
    name: 'chrome',
    getToolDefinitions: () => [tool('click')],
    executeToolCall: () => undefined,
    init: () => undefined,
    shutdown: () => undefined,
    ...parts,
  };
}

/** One that notes when it is shut down. */
function ending(ended: string[], parts: Partial<ToolModule> = {}): ToolModule {
  const module = chrome(parts);
  return { ...module, shutdown: () => void ended.push(module.name) };
}

function tool(name: string, description = name): FunctionDefinition {
  return { type: 'function', function: { name, description, parameters: { type: 'object', properties: {} } } };
}

function failing(): never {
  throw new Error('broken');
}
