import { ToolDisabledError, ToolNotFoundError, ValidationError } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { fails, metadata, namesOf, ok, registryOf } from '../test/registries.ts';
import type { ToolImplementation } from './metadata.ts';
import { ToolRegistry } from './tool-registry.ts';

describe('register', () => {
  it('R01: needs no arguments to make a registry, and refuses options it does not have', () => {
    expect(new ToolRegistry()).toBeInstanceOf(ToolRegistry);
    expect(() => new ToolRegistry({ namePatern: /a/ } as never)).toThrow(
      /unknown namePatern; did you mean namePattern\?/,
    );
    expect(() => new ToolRegistry({ namePattern: '^a$' as never })).toThrow(ValidationError);
    expect(() => new ToolRegistry({ invoke: 'x' as never })).toThrow(ValidationError);
  });

  it('R02: returns undefined; afterwards the tool is there', () => {
    const registry = new ToolRegistry();

    expect(registry.register(metadata('test'), ok)).toBeUndefined();
    expect(registry.get('test')).toBeDefined();
  });

  it('R06: overwrite replaces everything and keeps the place', () => {
    vi.useFakeTimers({ now: 1_000 });
    const registry = registryOf('a', 'b', 'c');
    registry.register(metadata('b', { tags: ['old'] }), ok, { version: '1.2.3', category: 'old', overwrite: true });
    registry.disable('b');
    vi.setSystemTime(2_000);
    const other: ToolImplementation = async () => 'other';

    registry.register(metadata('b', { description: 'New' }), other, { overwrite: true });

    expect(namesOf(registry.list())).toEqual(['a', 'b', 'c']);
    expect(registry.get('b')).toStrictEqual({
      metadata: metadata('b', { description: 'New' }),
      implementation: other,
      registeredAt: new Date(2_000),
      version: '1.0.0',
      enabled: true,
    });
    vi.useRealTimers();
  });

  it('R09: an entry has metadata, implementation, date, version, enabled and what was given', () => {
    const registry = new ToolRegistry();
    registry.register(metadata('base'), ok);
    const options = { version: '2.0.0', tags: ['t'], category: 'c', dependencies: ['base'] };

    registry.register(metadata('a'), ok, options);

    expect(registry.get('a')).toEqual({
      metadata: metadata('a'),
      implementation: ok,
      registeredAt: expect.any(Date),
      enabled: true,
      ...options,
    });
    expect(Object.keys(registry.get('base') ?? {})).not.toContain('tags');
  });

  it.each([
    [{ version: '2.0.0' }, { version: '3.0.0' }, '3.0.0'],
    [{ version: '2.0.0' }, {}, '2.0.0'],
    [{}, {}, '1.0.0'],
  ])('R10: the version of metadata %j and options %j is %s', (more, options, version) => {
    const registry = new ToolRegistry();

    registry.register(metadata('a', more), ok, options);

    expect(registry.get('a')?.version).toBe(version);
    expect(registry.list()[0]?.version).toBe(version);
  });

  it('R11: a new tool is enabled', () => {
    expect(registryOf('a').get('a')?.enabled).toBe(true);
  });

  it('R12: takes all five options', () => {
    const options = { version: '1.1.0', tags: [], category: 'c', overwrite: false, dependencies: [] };

    expect(() => new ToolRegistry().register(metadata('a'), ok, options)).not.toThrow();
  });

  it('R32: all fields of the metadata come back unchanged', () => {
    const full = metadata('a', {
      parameters: [
        {
          name: 'n',
          type: 'number',
          description: 'd',
          required: true,
          default: 2,
          enum: [1, 2],
          minimum: 0,
          maximum: 5,
        },
        { name: 's', type: 'string', description: 'd', pattern: '^a' },
      ],
      version: '1.1.1',
      category: 'c',
      tags: ['t'],
      author: 'me',
      examples: [{ description: 'd', parameters: { n: 1 }, expectedResult: { ok: true } }],
    });
    const registry = new ToolRegistry();

    registry.register(full, ok, { version: '9.0.0', tags: ['other'] });

    expect(registry.get('a')?.metadata).toStrictEqual(full);
  });

  it('R65: the sample of spec/001 holds', () => {
    const registry = new ToolRegistry();
    const sample = { name: 'test', description: 'Test tool', parameters: [] };
    const implementation = async () => ({ result: 'ok' });

    expect(() => registry.register(sample, implementation)).not.toThrow();
    expect(registry.get('test')).toBeDefined();
    expect(() => registry.register(sample, implementation)).toThrow('already registered');
  });
});

describe('enable, disable, unregister and getVersion', () => {
  it('R28: enable may be called twice', async () => {
    const registry = registryOf('x');
    registry.disable('x');

    registry.enable('x');
    registry.enable('x');

    expect(registry.get('x')?.enabled).toBe(true);
    expect(await registry.execute('x', {})).toBe('ok');
  });

  it('R29: disable may be called twice, and the tool stays', () => {
    const registry = registryOf('x');

    registry.disable('x');
    registry.disable('x');

    expect(registry.get('x')?.enabled).toBe(false);
    expect(namesOf(registry.list())).toEqual(['x']);
  });

  it('R30: unregister removes the tool everywhere', () => {
    const registry = new ToolRegistry();
    registry.register(metadata('x'), ok, { tags: ['t'], category: 'c' });
    registry.search('x');

    registry.unregister('x');

    expect(registry.get('x')).toBeUndefined();
    expect([
      registry.list(),
      registry.search('x'),
      registry.filterByTag(['t']),
      registry.filterByCategory('c'),
    ]).toEqual([[], [], [], []]);
  });

  it('R31: getVersion is the effective version', () => {
    const registry = new ToolRegistry();
    registry.register(metadata('x', { version: '2.0.0' }), ok);

    expect(registry.getVersion('x')).toBe('2.0.0');
  });

  it.each(['enable', 'disable', 'unregister', 'getVersion'] as const)(
    'R28 to R31: %s of an unknown name throws',
    (method) => {
      expect(() => new ToolRegistry()[method]('x')).toThrow(ToolNotFoundError);
      expect(() => new ToolRegistry()[method]('x')).toThrow('Tool not found: x');
    },
  );

  it('R56: a tool that others depend on stays, unless it is forced', async () => {
    const registry = registryOf('base');
    registry.register(metadata('one'), ok, { dependencies: ['base'] });
    registry.register(metadata('two'), ok, { dependencies: ['base'] });

    expect(() => registry.unregister('base')).toThrow(/needed by one, two/);
    expect(() => registry.unregister('base')).toThrow(ValidationError);
    registry.unregister('base', { force: true });

    expect(registry.get('base')).toBeUndefined();
    expect(await fails(registry, 'one')).toBeInstanceOf(ToolDisabledError);
  });

  it('R56: who was overwritten or removed depends on nothing any more', () => {
    const registry = registryOf('base');
    registry.register(metadata('one'), ok, { dependencies: ['base'] });
    registry.register(metadata('two'), ok, { dependencies: ['base'] });
    registry.register(metadata('one'), ok, { overwrite: true });
    registry.unregister('two');

    expect(() => registry.unregister('base')).not.toThrow();
    expect(() => registryOf('a').unregister('a', { forced: true } as never)).toThrow(ValidationError);
  });

  it('R57: a circle of dependencies is shown and refused', () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a'), ok, { dependencies: ['b'] });
    registry.register(metadata('b'), ok, { dependencies: ['other', 'c'] });

    expect(() => registry.register(metadata('c'), ok, { dependencies: ['a'] })).toThrow(
      'Dependencies form a circle: c -> a -> b -> c',
    );
    expect(() => registry.register(metadata('d'), ok, { dependencies: ['d'] })).toThrow('d -> d');
    expect(namesOf(registry.list())).toEqual(['a', 'b']);
  });
});

describe('many tools', () => {
  it('R63: 3,000 tools are registered, found and taken out again', () => {
    const registry = new ToolRegistry();
    for (let index = 0; index < 3_000; index++) {
      registry.register(metadata(`tool-${index}`, { description: `Station number${index}` }), ok);
    }

    expect(registry.search('number2999')[0]?.name).toBe('tool-2999');
    for (let index = 0; index < 3_000; index += 3) registry.unregister(`tool-${index}`);
    expect(registry.page({ limit: 1 }).total).toBe(2_000);
    expect(namesOf(registry.search('number2997'))).not.toContain('tool-2997');
  });
});
