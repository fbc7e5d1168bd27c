import { describe, expect, it } from 'vitest';
import { checkRole, inOrder } from './check-role.ts';
import { roleWith } from './testing/role-store-case.ts';

describe('checkRole()', () => {
  it('gives a frozen copy, its groups included', () => {
    const toolGroups = ['workspace'];

    const checked = checkRole(roleWith({ toolGroups }));
    toolGroups.push('command');

    expect(checked).toEqual(roleWith({ toolGroups: ['workspace'] }));
    expect([Object.isFrozen(checked), Object.isFrozen(checked.toolGroups)]).toEqual([true, true]);
  });

  it('takes undefined toolGroups as absent', () => {
    const checked = checkRole({ ...roleWith(), toolGroups: undefined });

    expect(Object.hasOwn(checked, 'toolGroups')).toBe(false);
  });

  it('reads own properties only', () => {
    const inherited: unknown = Object.create(roleWith());

    expect(() => checkRole(inherited)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it('refuses a list', () => {
    expect(() => checkRole([])).toThrow('The role must be an object, not a list');
  });

  it.each<[string, unknown, string]>([
    ['a key of the prototype', JSON.parse('{ "__proto__": {} }'), '__proto__'],
    ['an unknown part', { ...roleWith(), group: 'x' }, 'group'],
    ['an empty name', { ...roleWith(), name: '' }, 'name'],
    ['a prompt that is no text', { ...roleWith(), rolePrompt: 1 }, 'rolePrompt'],
    ['nobody as creator', { ...roleWith(), createdBy: '' }, 'createdBy'],
    ['a day without a time', { ...roleWith(), createdAt: '2026-01-11' }, 'createdAt'],
    ['a day that there is not', { ...roleWith(), createdAt: '2026-13-11T00:00:00Z' }, 'createdAt'],
    ['a Date', { ...roleWith(), createdAt: new Date() }, 'createdAt'],
    ['an unknown status', { ...roleWith(), status: 'ACTIVE' }, 'status'],
    ['a service that is a number', { ...roleWith(), llmServiceId: 1 }, 'llmServiceId'],
    ['an absent service', { ...roleWith(), llmServiceId: undefined }, 'llmServiceId'],
    ['groups with a hole', { ...roleWith(), toolGroups: Array(1) }, 'toolGroups[0]'],
  ])('refuses %s and names the part', (_what, value, field) => {
    expect(() => checkRole(value)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  });
});

describe('inOrder()', () => {
  it('orders by the moment, whatever its offset, then by id', () => {
    const roles = [
      roleWith({ id: 'c', createdAt: '2026-01-11T09:00:00+01:00' }),
      roleWith({ id: 'a', createdAt: '2026-01-11T08:00:00.000Z' }),
      roleWith({ id: 'b', createdAt: '2026-01-11T07:59:59.999Z' }),
    ];

    expect(inOrder(roles).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  });
});
