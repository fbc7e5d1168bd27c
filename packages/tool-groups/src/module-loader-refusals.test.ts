import { describe, expect, it } from 'vitest';
import { chrome, ending, failing, made, tool } from '../test/module-loaders.ts';
import type { ModuleRuntime, ToolModule } from './module.ts';
import { ModuleLoader } from './module-loader.ts';
import { ToolGroupManager } from './tool-group-manager.ts';

describe('ModuleLoader', () => {
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

  it.each([
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeout: 3 }, 'timeout'],
  ])('refuses the options %j', (options, field) => {
    const given = { groups: new ToolGroupManager(), ...options };

    expect(() => new ModuleLoader(given)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  });
});
