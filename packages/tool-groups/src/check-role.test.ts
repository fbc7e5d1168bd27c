import { describe, expect, it } from 'vitest';
import { checkRole, inOrder } from './check-role.ts';
import type { Role } from './role.ts';

describe('checkRole()', () => {
  it('gives a frozen copy, its groups included', () => {
    const toolGroups = ['workspace'];

    const checked = checkRole(role({ toolGroups }));
    toolGroups.push('command');

    expect(checked).toEqual(role({ toolGroups: ['workspace'] }));
    expect([Object.isFrozen(checked), Object.isFrozen(checked.toolGroups)]).toEqual([true, true]);
  });

  it('takes undefined toolGroups as absent', () => {
    const checked = checkRole({ ...role(), toolGroups: undefined });

    expect(Object.hasOwn(checked, 'toolGroups')).toBe(false);
  });

  it('reads own properties only', () => {
    const inherited: unknown = Object.create(role());

    expect(() => checkRole(inherited)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it.each<[string, unknown, string]>([
    ['a list', [], 'The role'],
    ['a key of the prototype', JSON.parse('{ "__proto__": {} }'), '__proto__'],
    ['an unknown part', { ...role(), group: 'x' }, 'group'],
    ['an empty name', { ...role(), name: '' }, 'name'],
    ['a prompt that is no text', { ...role(), rolePrompt: 1 }, 'rolePrompt'],
    ['nobody as creator', { ...role(), createdBy: '' }, 'createdBy'],
    ['a day without a time', { ...role(), createdAt: '2026-01-11' }, 'createdAt'],
    ['a day that there is not', { ...role(), createdAt: '2026-13-11T00:00:00Z' }, 'createdAt'],
    ['a Date', { ...role(), createdAt: new Date() }, 'createdAt'],
    ['an unknown status', { ...role(), status: 'ACTIVE' }, 'status'],
    ['a service that is a number', { ...role(), llmServiceId: 1 }, 'llmServiceId'],
    ['an absent service', { ...role(), llmServiceId: undefined }, 'llmServiceId'],
    ['groups with a hole', { ...role(), toolGroups: Array(1) }, 'toolGroups'],
  ])('refuses %s and names the part', (_what, value, field) => {
    expect(() => checkRole(value)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  });
});

describe('inOrder()', () => {
  it('orders by the moment, whatever its offset, then by id', () => {
    const roles = [
      role({ id: 'c', createdAt: '2026-01-11T09:00:00+01:00' }),
      role({ id: 'a', createdAt: '2026-01-11T08:00:00.000Z' }),
      role({ id: 'b', createdAt: '2026-01-11T07:59:59.999Z' }),
    ];

    expect(inOrder(roles).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  });
});

function role(parts: Partial<Role> = {}): Role {
  return {
    id: 'a',
    name: 'developer',
    rolePrompt: 'You write programs.',
    createdBy: 'root',
    createdAt: '2026-01-11T08:00:00.000Z',
    status: 'active',
    llmServiceId: null,
    ...parts,
  };
}
