import { type Logger, ValidationError } from '@x/core';
import { silentLogger } from '@x/core/internal';
import type { FunctionDefinition } from '@x/registry';
import { describe, expect, it } from 'vitest';
import type { ToolGroupDefinition } from './tool-group.ts';
import { ToolGroupManager } from './tool-group-manager.ts';

describe('ToolGroupManager', () => {
  it('begins with no group, and refuses an option it does not know', () => {
    expect(new ToolGroupManager().listGroups()).toEqual([]);
    expect(() => new ToolGroupManager({ loger: silentLogger } as never)).toThrow(ValidationError);
  });

  it('finds every tool of a registered group, and the group', () => {
    const manager = new ToolGroupManager();

    expect(manager.registerGroup('files', group('read', 'write'))).toEqual({ ok: true });

    expect(manager.listGroups()).toEqual([
      { id: 'files', description: 'some', toolCount: 2, tools: ['read', 'write'] },
    ]);
    expect(manager.getToolGroup('read')).toBe('files');
    expect(manager.getToolGroup('other')).toBeNull();
    expect(manager.getGroup('files')).toMatchObject({ id: 'files', isReserved: false });
    expect(Date.parse(manager.getGroup('files')?.registeredAt ?? '')).not.toBeNaN();
  });

  it('keeps a reserved id for good, also from one who would reserve it again', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('core', group('read'), true);

    expect(manager.registerGroup('core', group('other'))).toEqual({ ok: false, error: 'reserved_group_id' });
    expect(manager.registerGroup('core', group('other'), true)).toEqual({ ok: false, error: 'reserved_group_id' });
    expect(manager.unregisterGroup('core')).toEqual({ ok: false, error: 'cannot_unregister_reserved' });
    expect(manager.listGroups()).toEqual([{ id: 'core', description: 'some', toolCount: 1, tools: ['read'] }]);
  });

  it('reserves nothing once it is sealed', () => {
    const manager = new ToolGroupManager();
    manager.seal();

    expect(manager.registerGroup('core', group('read'), true)).toEqual({ ok: false, error: 'reservation_not_allowed' });
    expect(manager.registerGroup('core', group('read'))).toEqual({ ok: true });
  });

  it('reserves an id only when it is told so in as many words', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('core', group('read'), 'false' as unknown as boolean);

    expect(manager.unregisterGroup('core')).toEqual({ ok: true });
  });

  it('says that an id is reserved before it says that nothing can be reserved', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('core', group('read'), true);
    manager.seal();

    expect(manager.registerGroup('core', group('read'), true)).toEqual({ ok: false, error: 'reserved_group_id' });
  });

  it('replaces a group that is not reserved, in its place, with a warning', () => {
    const warnings: unknown[] = [];
    const manager = new ToolGroupManager({ logger: warningTo(warnings) });
    manager.registerGroup('a', group('one', 'two'));
    manager.registerGroup('b', group('three'));

    expect(manager.registerGroup('a', group('two', 'four'))).toEqual({ ok: true, warning: 'duplicate_group_id' });

    expect(manager.getAllGroupIds()).toEqual(['a', 'b']);
    expect(manager.getToolGroup('one')).toBeNull();
    expect(manager.getToolGroup('four')).toBe('a');
    expect(warnings).toEqual([{ groupId: 'a' }]);
  });

  it.each([
    ['no object', 'a', 'text'],
    ['null', 'a', null],
    ['no description', 'a', { tools: [] }],
    ['a description that is no text', 'a', { description: 1, tools: [] }],
    ['tools that are no list', 'a', { description: '', tools: 'read' }],
    ['a tool that is no object', 'a', { description: '', tools: [null] }],
    ['a tool without a name', 'a', { description: '', tools: [tool('read'), { type: 'function', function: {} }] }],
    ['a tool with an empty name', 'a', { description: '', tools: [tool('')] }],
    ['a tool that is no plain data', 'a', { description: '', tools: [{ ...tool('read'), extra: () => 1 }] }],
    ['an empty id', '', { description: '', tools: [] }],
    ['an id that is no text', 7, { description: '', tools: [] }],
  ])('refuses %s as a whole', (_, groupId, definition) => {
    const manager = new ToolGroupManager();

    const answer = manager.registerGroup(groupId as string, definition as unknown as ToolGroupDefinition);

    expect(answer).toEqual({ ok: false, error: 'invalid_group_def' });
    expect(manager.listGroups()).toEqual([]);
  });

  it('does not throw for a definition whose fields do', () => {
    const broken = Object.defineProperty({}, 'description', {
      get: () => {
        throw new Error('no');
      },
    });

    expect(new ToolGroupManager().registerGroup('a', broken as ToolGroupDefinition)).toEqual({
      ok: false,
      error: 'invalid_group_def',
    });
  });

  it('refuses a tool that another group defines otherwise, and shares one that is the same', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('a', group('one'));

    expect(manager.registerGroup('b', { description: '', tools: [tool('two'), tool('one', 'another')] })).toEqual({
      ok: false,
      error: 'tool_conflict',
    });
    expect(manager.getToolGroup('two')).toBeNull();
    expect(manager.registerGroup('b', group('one'))).toEqual({ ok: true });
    expect(manager.getToolGroups('one')).toEqual(['a', 'b']);
    expect(manager.getToolGroup('one')).toBe('b');
  });

  it('lets a group change its own tool, unless another group has it too', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('a', group('one'));
    const changed = { description: '', tools: [tool('one', 'another')] };

    expect(manager.registerGroup('a', changed)).toMatchObject({ ok: true });

    manager.registerGroup('b', changed);
    expect(manager.registerGroup('a', group('one'))).toEqual({ ok: false, error: 'tool_conflict' });
  });

  it('looks at the id, then the definition, then conflicts, then the duplicate', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('reserved', group('one'), true);
    manager.registerGroup('known', group('two'));

    const conflict = { description: '', tools: [tool('one', 'another')] };
    expect(manager.registerGroup('reserved', null as never)).toMatchObject({ error: 'reserved_group_id' });
    expect(manager.registerGroup('known', { ...conflict, description: 1 } as never)).toMatchObject({
      error: 'invalid_group_def',
    });
    expect(manager.registerGroup('known', conflict)).toMatchObject({ error: 'tool_conflict' });
    expect(manager.registerGroup('known', group('two'))).toMatchObject({ warning: 'duplicate_group_id' });
  });

  it('keeps a tool for the other group when one goes', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('a', group('one'));
    manager.registerGroup('b', group('one', 'two'));

    expect(manager.unregisterGroup('b')).toEqual({ ok: true });

    expect(manager.getToolGroup('one')).toBe('a');
    expect(manager.getToolGroup('two')).toBeNull();
    expect(manager.unregisterGroup('b')).toEqual({ ok: false, error: 'group_not_found' });
  });

  it('counts a name once, says so when the second one differs, and keeps the first', () => {
    const warnings: unknown[] = [];
    const manager = new ToolGroupManager({ logger: warningTo(warnings) });

    manager.registerGroup('a', { description: '', tools: [tool('one'), tool('one'), tool('one', 'another')] });

    expect(manager.listGroups()).toMatchObject([{ toolCount: 1, tools: ['one'] }]);
    expect(manager.getToolDefinitions(['a'])).toEqual([tool('one')]);
    expect(warnings).toEqual([{ groupId: 'a', toolName: 'one' }]);
  });

  it('lists the tools of groups once each, in the order of the ids, and warns of an id it does not know', () => {
    const warnings: unknown[] = [];
    const manager = new ToolGroupManager({ logger: warningTo(warnings) });
    manager.registerGroup('a', group('one', 'two'));
    manager.registerGroup('b', group('three', 'one'));

    expect(names(manager.getToolDefinitions(['b', 'nobody', 'a']))).toEqual(['three', 'one', 'two']);
    expect(manager.getToolDefinitions([])).toEqual([]);
    expect(manager.getToolDefinitions('a' as never)).toEqual([]);
    expect(warnings).toEqual([{ groupId: 'nobody' }]);
  });

  it('knows whether one of some groups has a tool', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('a', group('one'));

    expect(manager.isToolInGroups('one', ['b', 'a'])).toBe(true);
    expect(manager.isToolInGroups('one', ['b'])).toBe(false);
    expect(manager.isToolInGroups('one', [])).toBe(false);
    expect(manager.isToolInGroups('two', ['a'])).toBe(false);
  });

  it('changes a reserved group when its creator says so, which keeps its place', () => {
    const manager = new ToolGroupManager();
    manager.registerGroup('a', group('one'), true);
    manager.registerGroup('b', group('two'));
    manager.seal();

    expect(manager.updateGroup('a', { description: 'new', tools: [tool('three')] })).toEqual({ ok: true });

    expect(manager.getGroup('a')).toMatchObject({ description: 'new', isReserved: true });
    expect(manager.getAllGroupIds()).toEqual(['a', 'b']);
    expect(manager.getToolGroup('one')).toBeNull();
    expect(manager.getToolGroup('three')).toBe('a');
    expect(manager.updateGroup('c', group())).toEqual({ ok: false, error: 'group_not_found' });
    expect(manager.updateGroup('a', null as never)).toEqual({ ok: false, error: 'invalid_group_def' });
    expect(manager.updateGroup('a', { description: '', tools: [tool('two', 'another')] })).toEqual({
      ok: false,
      error: 'tool_conflict',
    });
  });

  it('takes ids and names that mean something to objects for what they are: names', () => {
    const manager = new ToolGroupManager();
    const ids = ['__proto__', 'constructor', 'toString'];

    expect(manager.getToolGroup('toString')).toBeNull();
    expect(manager.isToolInGroups('constructor', ids)).toBe(false);
    expect(ids.map((id) => manager.registerGroup(id, group(id)).ok)).toEqual([true, true, true]);
    expect(manager.getAllGroupIds()).toEqual(ids);
    expect(ids.map((id) => manager.getToolGroup(id))).toEqual(ids);
  });

  it('hands out nothing by which it could be changed, and keeps nothing that was handed in', () => {
    const manager = new ToolGroupManager();
    const parameters = { type: 'object', properties: {} as Record<string, unknown> };
    const given = { type: 'function', function: { name: 'one', description: '', parameters } } as const;
    manager.registerGroup('a', { description: '', tools: [given] });

    parameters.properties['later'] = {};
    manager.listGroups()[0]?.tools.concat('two');
    manager.getAllGroupIds().push('b');
    const [definition] = manager.getToolDefinitions(['a']);

    expect(definition?.function.parameters).toEqual({ type: 'object', properties: {} });
    expect(() => Object.assign(definition?.function.parameters ?? {}, { type: 'string' })).toThrow(TypeError);
    expect(manager.getAllGroupIds()).toEqual(['a']);
    expect(Object.isFrozen(manager.getGroup('a')?.tools)).toBe(true);
  });
});

describe('ToolGroupManager.registrar', () => {
  it('can neither reserve an id nor update a group', () => {
    const manager = new ToolGroupManager();
    const registrar = manager.registrar();
    const reserving = registrar.registerGroup as unknown as (
      id: string,
      definition: unknown,
      reserved: boolean,
    ) => unknown;

    expect(reserving('mine', group('one'), true)).toEqual({ ok: true });
    expect(manager.getGroup('mine')?.isReserved).toBe(false);
    expect(Object.keys(registrar)).toEqual(['registerGroup', 'unregisterGroup', 'groupIds']);
  });

  it('removes only what it registered and nobody has replaced', () => {
    const manager = new ToolGroupManager();
    const [one, two] = [manager.registrar(), manager.registrar()];
    manager.registerGroup('reserved', group('r'), true);
    one.registerGroup('a', group('one'));
    one.registerGroup('b', group('two'));

    expect(two.unregisterGroup('a')).toEqual({ ok: false, error: 'group_not_owned' });
    expect(two.unregisterGroup('reserved')).toEqual({ ok: false, error: 'cannot_unregister_reserved' });
    expect(two.unregisterGroup('c')).toEqual({ ok: false, error: 'group_not_found' });
    expect(two.registerGroup('b', group('two'))).toEqual({ ok: true, warning: 'duplicate_group_id' });
    expect(one.groupIds()).toEqual(['a']);
    expect(one.unregisterGroup('b')).toEqual({ ok: false, error: 'group_not_owned' });
    expect(one.unregisterGroup('a')).toEqual({ ok: true });
    expect(manager.getAllGroupIds()).toEqual(['reserved', 'b']);
  });
});

function tool(name: string, description = ''): FunctionDefinition {
  return { type: 'function', function: { name, description, parameters: { type: 'object', properties: {} } } };
}

function group(...toolNames: string[]): ToolGroupDefinition {
  return { description: 'some', tools: toolNames.map((name) => tool(name)) };
}

function names(definitions: readonly FunctionDefinition[]): string[] {
  return definitions.map((definition) => definition.function.name);
}

function warningTo(warnings: unknown[]): Logger {
  return { ...silentLogger, warn: (fields) => void warnings.push(fields) };
}
