import { defineTool, type Logger, objectSchema, type Tool, ValidationError } from '@x/core';
import { silentLogger } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { chrome, tool } from '../test/module-loaders.ts';
import { ModuleLoader } from './module-loader.ts';
import { Runtime } from './runtime.ts';
import { ToolGroupManager } from './tool-group-manager.ts';

const fails = (): never => {
  throw new Error('disk full');
};
const failing: Logger = { fatal: fails, error: fails, warn: fails, info: fails, debug: fails, trace: fails };
const group = { description: 'Some', tools: [tool('find')] };

describe('a logger that throws', () => {
  it('breaks no registration and no list of a manager (G02)', () => {
    const manager = new ToolGroupManager({ logger: failing });
    manager.registerGroup('some', group);

    expect(manager.registerGroup('some', group)).toEqual({ ok: true, warning: 'duplicate_group_id' });
    expect(manager.getToolDefinitions(['unknown', 'some'])).toHaveLength(1);
  });

  it('breaks no runtime', async () => {
    const broken = chrome({ name: 'broken', getToolDefinitions: fails });
    const runtime = new Runtime({ logger: failing, config: { modules: [broken, chrome()] } });
    await runtime.init();
    const role = await runtime.createRole({ name: 'worker', rolePrompt: '' });
    const { id } = runtime.createAgent({ roleId: role.id });

    expect(runtime.moduleReports().map(({ ok }) => ok)).toEqual([false, true]);
    expect(runtime.getToolDefinitionsForAgent(id).length).toBeGreaterThan(0);
    await runtime.shutdown();
  });
});

describe('a logger without the methods of one', () => {
  it.each<[string, (logger: Logger) => unknown]>([
    ['ToolGroupManager', (logger) => new ToolGroupManager({ logger })],
    ['ModuleLoader', (logger) => new ModuleLoader({ logger, groups: new ToolGroupManager() })],
    ['Runtime', (logger) => new Runtime({ logger })],
  ])('is refused by %s', (_, make) => {
    const { warn: _warn, ...lacking } = silentLogger;

    expect(() => make(lacking as never)).toThrow(ValidationError);
    expect(() => make(lacking as never)).toThrow('logger must be a Logger: warn is not a function');
    expect(() => make(silentLogger)).not.toThrow();
  });
});

describe('an unknown group id', () => {
  it('is warned about once, however often it is asked for', () => {
    const warned: unknown[] = [];
    const warn = (fields: object, message?: string) => void warned.push([message, fields]);
    const manager = new ToolGroupManager({ logger: { ...silentLogger, warn } });

    for (const ids of [['a'], ['a', 'b'], ['a']]) manager.getToolDefinitions(ids);

    expect(warned).toEqual([
      ['tool_group_unknown', { groupId: 'a' }],
      ['tool_group_unknown', { groupId: 'b' }],
    ]);
  });
});

describe('a tool that is in no group', () => {
  it('is warned about when the runtime is ready', async () => {
    const warned: unknown[] = [];
    const warn = (fields: object, message?: string) => void warned.push([message, fields]);
    const lost = defineTool({
      name: 'lost',
      description: 'Lost.',
      inputSchema: objectSchema({}),
      execute: fails,
    }) as Tool;
    const runtime = new Runtime({ tools: [lost], logger: { ...silentLogger, warn } });

    await runtime.init();

    expect(warned).toEqual([['tool_in_no_group', { toolName: 'lost' }]]);
  });
});

describe('a module that misspells a field which it may leave out', () => {
  it.each(['toolGroupsId', 'toolgroupid', 'toolGroupDescripton'])('such as %s is refused', async (field) => {
    const loader = new ModuleLoader({ groups: new ToolGroupManager() });

    const report = await loader.load({ ...chrome(), [field]: 'other' });

    expect(report).toMatchObject({ ok: false, error: 'invalid_module', message: expect.stringContaining(field) });
  });

  it('may have state of its own', async () => {
    const loader = new ModuleLoader({ groups: new ToolGroupManager() });

    expect(await loader.load({ ...chrome(), toolGroups: undefined, tools: [], names: [] } as never)).toMatchObject({
      ok: true,
    });
  });
});
