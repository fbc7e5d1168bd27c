import { fc, test } from '@fast-check/vitest';
import {
  AbortError,
  defineTool,
  RateLimitError,
  type Tool,
  ToolDisabledError,
  ToolExecutionError,
  ToolNotFoundError,
  ValidationError,
} from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { RegisterOptions, ToolImplementation, ToolMetadata } from './metadata.ts';
import { ToolRegistry } from './tool-registry.ts';

const metadata = (name: string, more: Partial<ToolMetadata> = {}): ToolMetadata => ({
  name,
  description: `Does ${name}`,
  parameters: [],
  ...more,
});
const ok: ToolImplementation = async () => 'ok';
const registryOf = (...names: string[]) => {
  const registry = new ToolRegistry();
  for (const name of names) registry.register(metadata(name), ok);
  return registry;
};
const namesOf = (tools: readonly ToolMetadata[]) => tools.map((tool) => tool.name);
const fails = (registry: ToolRegistry, name: string, parameters: unknown = {}) =>
  registry.execute(name, parameters as Record<string, unknown>).then(
    () => undefined,
    (error: unknown) => error,
  );

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

  it.each([undefined, '', '  ', '\n'])('R03: a name of %j is missing', (name) => {
    expect(() => new ToolRegistry().register(metadata(name as string), ok)).toThrow(
      expect.objectContaining({ name: 'ValidationError', message: 'Tool name is required', field: 'name' }),
    );
  });

  it('R03: metadata that is missing has no name either', () => {
    expect(() => new ToolRegistry().register(undefined as never, ok)).toThrow('Tool name is required');
  });

  it.each(['Test', '1a', '-a', 'a_b', 'a b', 'read_file', 'a\n'])('R04: refuses the name %j by default', (name) => {
    expect(() => new ToolRegistry().register(metadata(name), ok)).toThrow(
      'Tool name must start with lowercase letter and contain only lowercase letters, numbers, and hyphens',
    );
  });

  it('R04: namePattern decides instead, also one with flags that remember', () => {
    const registry = new ToolRegistry({ namePattern: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/g });

    for (const name of ['Read', 'run_command', 'mcp__a__b', 'kebab-case']) registry.register(metadata(name), ok);

    expect(registry.list()).toHaveLength(4);
    expect(() => registry.register(metadata('a b'), ok)).toThrow(/must match/);
  });

  it('R05: a known name is already registered', () => {
    expect(() => registryOf('x').register(metadata('x'), ok)).toThrow(
      expect.objectContaining({ name: 'ValidationError', message: 'Tool "x" is already registered' }),
    );
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

  it.each([undefined, '', ' \t'])('R07: a description of %j is missing', (description) => {
    expect(() => new ToolRegistry().register(metadata('a', { description: description as string }), ok)).toThrow(
      expect.objectContaining({ message: 'Tool description is required', field: 'description' }),
    );
  });

  it.each<[string, Partial<ToolMetadata>, RegisterOptions]>([
    ['a blank description', { description: '' }, { overwrite: true }],
    ['a bad parameter', { parameters: [{ name: '', type: 'string', description: '' }] }, { overwrite: true }],
    ['a bad option', {}, { overwrite: true, tags: 'x' as never }],
    ['a circle', {}, { overwrite: true, dependencies: ['a'] }],
    ['a function in the metadata', { author: (() => '') as never }, { overwrite: true }],
  ])('R08: after %s the registry is as it was', (_, more, options) => {
    const registry = registryOf('a', 'b');
    registry.search('does');
    const before = [registry.list(), registry.get('a'), namesOf(registry.search('does a'))];

    expect(() => registry.register(metadata('a', more), ok, options)).toThrow(ValidationError);

    expect([registry.list(), registry.get('a'), namesOf(registry.search('does a'))]).toEqual(before);
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

  it.each([{ overwirte: true }, { enabled: false }, { version: 1 }, { tags: [1] }, { overwrite: 'yes' }, null])(
    'R12: refuses the options %j',
    (options) => {
      expect(() => new ToolRegistry().register(metadata('a'), ok, options as never)).toThrow(ValidationError);
    },
  );

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

  it.each([
    ['metadata', { timeout: 5 }],
    ['parameters', { parameters: undefined }],
    ['a parameter', { parameters: [{ name: 'p', type: 'array', description: '', items: {} }] }],
    ['a type', { parameters: [{ name: 'p', type: 'integer', description: '' }] }],
    ['an example', { examples: [{ description: '', parameters: {}, result: 1 }] }],
    ['tags', { tags: 'one' }],
    ['a version', { version: 2 }],
    ['a pattern of a number', { parameters: [{ name: 'p', type: 'number', description: '', pattern: 'a' }] }],
    ['bounds of a string', { parameters: [{ name: 'p', type: 'string', description: '', minimum: 1 }] }],
    ['bounds that cross', { parameters: [{ name: 'p', type: 'number', description: '', minimum: 2, maximum: 1 }] }],
    ['an empty enum', { parameters: [{ name: 'p', type: 'number', description: '', enum: [] }] }],
    ['an enum of another type', { parameters: [{ name: 'p', type: 'number', description: '', enum: ['1'] }] }],
  ])('R33, R38: refuses %s that would not be honoured', (_, more) => {
    expect(() => new ToolRegistry().register(metadata('a', more as never), ok)).toThrow(ValidationError);
  });

  it('refuses an implementation that is none', () => {
    expect(() => new ToolRegistry().register(metadata('a'), 'x' as never)).toThrow(
      expect.objectContaining({ field: 'implementation' }),
    );
  });

  it('R41: checks name, pattern, duplicate, description in this order', () => {
    const registry = registryOf('a');
    const blank = { description: '' };

    expect(() => registry.register(metadata('', blank), ok)).toThrow('Tool name is required');
    expect(() => registry.register(metadata('A', blank), ok)).toThrow('must start with lowercase');
    expect(() => registry.register(metadata('a', blank), ok)).toThrow('already registered');
    expect(() => registry.register(metadata('b', blank), 'x' as never)).toThrow('description is required');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('R42: refuses %s as a tool and as a parameter', (name) => {
    const registry = new ToolRegistry({ namePattern: /.*/ });
    const parameters = [{ name, type: 'string' as const, description: '' }];

    expect(() => registry.register(metadata(name), ok)).toThrow(/reserved/);
    expect(() => registry.register(metadata('a', { parameters }), ok)).toThrow(/reserved/);
    expect(registry.list()).toEqual([]);
  });

  it('R49: refuses two parameters of one name', () => {
    const parameter = { name: 'p', type: 'string' as const, description: '' };

    expect(() => new ToolRegistry().register(metadata('a', { parameters: [parameter, parameter] }), ok)).toThrow(
      'Two parameters are named p',
    );
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

describe('list, get and the filters', () => {
  const tagged = () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a', { tags: ['x', 'y'], category: 'one' }), ok);
    registry.register(metadata('b', { tags: ['x'] }), ok, { category: 'two' });
    registry.register(metadata('c', { tags: ['z'], category: 'one' }), ok, { tags: ['x', 'y'], category: 'two' });
    registry.disable('b');
    return registry;
  };

  it('R13: list has one info per tool, disabled ones too, in the order of registration', () => {
    expect(tagged().list()).toEqual([
      {
        ...metadata('a'),
        tags: ['x', 'y'],
        category: 'one',
        version: '1.0.0',
        enabled: true,
        registeredAt: expect.any(Date),
      },
      {
        ...metadata('b'),
        tags: ['x'],
        category: 'two',
        version: '1.0.0',
        enabled: false,
        registeredAt: expect.any(Date),
      },
      {
        ...metadata('c'),
        tags: ['x', 'y'],
        category: 'two',
        version: '1.0.0',
        enabled: true,
        registeredAt: expect.any(Date),
      },
    ]);
  });

  it.each([
    [{}, ['a', 'b', 'c']],
    [{ category: 'two' }, ['b', 'c']],
    [{ tag: 'y' }, ['a', 'c']],
    [{ tags: ['x', 'y'] }, ['a', 'c']],
    [{ tag: 'x', tags: ['y'], category: 'two' }, ['c']],
    [{ category: 'two', enabled: true }, ['c']],
    [{ tag: 'none' }, []],
  ])('R14: list(%j) is %j', (filter, names) => {
    expect(namesOf(tagged().list(filter))).toEqual(names);
  });

  it('R14: refuses a filter that it does not know or could not honour', () => {
    for (const filter of [{ categroy: 'two' }, { category: 2 }, { tags: 'x' }, { tag: 1 }, { enabled: 'yes' }, null]) {
      expect(() => tagged().list(filter as never)).toThrow(ValidationError);
    }
  });

  it('R15: get of an unknown name is undefined', () => {
    expect(new ToolRegistry().get('x')).toBeUndefined();
    expect(new ToolRegistry().get('toString')).toBeUndefined();
  });

  it('R26: filterByTag asks for all tags; none asks for nothing', () => {
    expect(namesOf(tagged().filterByTag(['x', 'y']))).toEqual(['a', 'c']);
    expect(namesOf(tagged().filterByTag(['x']))).toEqual(['a', 'b', 'c']);
    expect(namesOf(tagged().filterByTag([]))).toEqual(['a', 'b', 'c']);
  });

  it('R27: filterByCategory is exact', () => {
    expect(namesOf(tagged().filterByCategory('two'))).toEqual(['b', 'c']);
    expect(tagged().filterByCategory('Two')).toEqual([]);
  });

  it('R46: what is handed out is frozen, and its date is an own one', () => {
    const registry = tagged();
    const handedOut = [registry.list()[0], registry.search('does')[0], registry.get('a'), registry.get('a')?.metadata];
    const entry = registry.get('a');

    for (const one of handedOut)
      expect(() => Object.assign(one ?? {}, { name: 'z', enabled: false })).toThrow(TypeError);
    expect([entry?.metadata.parameters, entry?.tags].every(Object.isFrozen)).toBe(true);
    entry?.registeredAt.setTime(0);
    registry.list()[0]?.registeredAt.setTime(0);

    expect(registry.get('a')?.registeredAt.getTime()).toBeGreaterThan(0);
    expect(namesOf(registry.list())).toEqual(['a', 'b', 'c']);
  });

  it('R46: changing what was registered has no effect either', () => {
    const registry = new ToolRegistry();
    const given = {
      name: 'a',
      description: 'd',
      parameters: [{ name: 'p', type: 'string' as const, description: '' }],
    };
    const options = { tags: ['t'] };
    registry.register(given, ok, options);

    given.parameters.pop();
    given.description = 'changed';
    options.tags.push('more');

    expect(registry.list()[0]).toMatchObject({ description: 'd', parameters: [{ name: 'p' }], tags: ['t'] });
  });

  it('R47: walking a list is not disturbed by what the tools do meanwhile', () => {
    const registry = registryOf('a', 'b', 'c');
    const walked: string[] = [];

    for (const { name } of registry.list()) {
      walked.push(name);
      registry.unregister(name);
      registry.register(metadata(`${name}-again`), ok);
    }

    expect(walked).toEqual(['a', 'b', 'c']);
  });

  it('R58: options stand over metadata for tags and category, everywhere', () => {
    const registry = tagged();

    expect(registry.get('c')).toMatchObject({ tags: ['x', 'y'], category: 'two' });
    expect(registry.get('c')?.metadata).toMatchObject({ tags: ['z'], category: 'one' });
    expect(registry.filterByTag(['z'])).toEqual([]);
    expect(namesOf(registry.search('one'))).toEqual(['a']);
    expect(registry.search('z')).toEqual([]);
  });

  it('R64: disabled tools are found by enabled: false and left out by enabled: true', () => {
    expect(namesOf(tagged().list({ enabled: false }))).toEqual(['b']);
    expect(namesOf(tagged().list({ enabled: true }))).toEqual(['a', 'c']);
  });

  it('R67: an empty registry lists and finds nothing', () => {
    expect(new ToolRegistry().list()).toEqual([]);
    expect(new ToolRegistry().search('x')).toEqual([]);
  });

  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).filter((one) => one !== 'constructor' && one !== 'prototype');

  test.prop([fc.uniqueArray(name, { maxLength: 12 })])('what is registered is there, in order', (names) => {
    const registry = registryOf(...names);

    expect(namesOf(registry.list())).toEqual(names);
    expect(names.map((one) => registry.get(one)?.metadata)).toEqual(names.map((one) => metadata(one)));
  });

  const change = fc.constantFrom('enable' as const, 'disable' as const, 'overwrite' as const);

  test.prop([
    fc.uniqueArray(name, { minLength: 1, maxLength: 8 }),
    fc.array(fc.tuple(fc.nat(), change), { maxLength: 20, size: 'max' }),
  ])('R55: enable, disable and overwrite never change the order', (names, changes) => {
    const registry = registryOf(...names);

    for (const [index, what] of changes) {
      const one = names[index % names.length] ?? '';
      if (what === 'overwrite') registry.register(metadata(one), ok, { overwrite: true });
      else registry[what](one);
    }

    expect(namesOf(registry.list())).toEqual(names);
  });
});

describe('execute', () => {
  it('R16: an unknown tool is not found', async () => {
    const error = await fails(new ToolRegistry(), 'x');

    expect(error).toBeInstanceOf(ToolNotFoundError);
    expect(error).toMatchObject({
      message: 'Tool not found: x',
      code: 'TOOL_NOT_FOUND',
      statusCode: 404,
      toolName: 'x',
    });
  });

  it('R17: a disabled tool is refused', async () => {
    const registry = registryOf('x');
    registry.disable('x');

    const error = await fails(registry, 'x');

    expect(error).toBeInstanceOf(ToolDisabledError);
    expect(error).toMatchObject({ message: 'Tool is disabled: x', code: 'TOOL_DISABLED', statusCode: 403 });
  });

  it('R18: checks exists, enabled, dependencies, parameters, in this order', async () => {
    const registry = new ToolRegistry();
    const parameters = [{ name: 'p', type: 'string' as const, description: '', required: true }];
    const implementation = vi.fn<ToolImplementation>(ok);
    registry.register(metadata('x', { parameters }), implementation, { dependencies: ['y'] });
    registry.disable('x');

    expect(await fails(registry, 'x')).toMatchObject({ message: 'Tool is disabled: x' });
    registry.enable('x');
    expect(await fails(registry, 'x')).toMatchObject({ message: expect.stringContaining('y (not registered)') });
    registry.register(metadata('y'), ok);
    expect(await fails(registry, 'x')).toMatchObject({ message: 'Required parameter missing: p' });
    expect(implementation).not.toHaveBeenCalled();
  });

  it.each([[undefined], [null], [0], ['text'], [{ a: 1 }], [Symbol.for('s')]])(
    'R22: resolves with %s itself',
    async (value) => {
      const registry = new ToolRegistry();
      registry.register(metadata('x'), async () => value);

      expect(await registry.execute('x', {})).toBe(value);
    },
  );

  it.each([new Error('below'), 'text', undefined, null])('R23: a foreign %s is wrapped', async (thrown) => {
    const registry = new ToolRegistry();
    registry.register(metadata('x'), () => Promise.reject(thrown));

    const error = await fails(registry, 'x');

    expect(error).toBeInstanceOf(ToolExecutionError);
    expect(error).toMatchObject({ message: 'Tool execution failed: x', code: 'TOOL_EXECUTION_ERROR', statusCode: 500 });
    expect(error).toHaveProperty('originalError', thrown);
    expect((error as Error).cause).toBe(thrown);
  });

  it('R24: an own error passes as the same object', async () => {
    const registry = new ToolRegistry();
    const thrown = new RateLimitError('slow down', 3);
    registry.register(metadata('x'), () => Promise.reject(thrown));

    expect(await fails(registry, 'x')).toBe(thrown);
  });

  it('R39: an implementation that declares only parameters works; the second argument carries the signal', async () => {
    const registry = new ToolRegistry();
    const { signal } = new AbortController();
    const seen = vi.fn<ToolImplementation>(ok);
    registry.register(metadata('short'), async (parameters) => parameters);
    registry.register(metadata('long'), seen);

    expect(await registry.execute('short', {})).toEqual({});
    await registry.execute('long', {}, { signal });

    expect(seen.mock.lastCall?.[1]?.signal).toBe(signal);
  });

  it('R40: names every dependency that is not registered or not enabled', async () => {
    const registry = registryOf('here', 'off');
    registry.disable('off');
    registry.register(metadata('x'), ok, { dependencies: ['here', 'off', 'gone'] });

    const error = await fails(registry, 'x');

    expect(error).toBeInstanceOf(ToolDisabledError);
    expect((error as Error).message).toContain('off (disabled), gone (not registered)');
    registry.enable('off');
    registry.register(metadata('gone'), ok);
    expect(await registry.execute('x', {})).toBe('ok');
  });

  it('R48: an aborted signal rejects before the implementation runs', async () => {
    const registry = new ToolRegistry();
    const implementation = vi.fn<ToolImplementation>(ok);
    registry.register(metadata('x'), implementation);

    await expect(registry.execute('x', {}, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortError);
    expect(implementation).not.toHaveBeenCalled();
  });

  it('R48: refuses options it does not have', async () => {
    await expect(registryOf('x').execute('x', {}, { timeout: 5 } as never)).rejects.toBeInstanceOf(ValidationError);
  });

  it('R62: an implementation that throws at once is treated like one that rejects', async () => {
    const registry = new ToolRegistry();
    const thrown = new Error('at once');
    registry.register(metadata('x'), () => {
      throw thrown;
    });

    expect(await fails(registry, 'x')).toMatchObject({ code: 'TOOL_EXECUTION_ERROR', cause: thrown });
  });

  const value = fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer()),
    fc.object(),
  );

  test.prop([fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value)])(
    'R60: the parameters of the caller are never changed',
    async (parameters) => {
      const registry = new ToolRegistry();
      const declared = ['a', 'b', 'c'].map((name) => ({
        name,
        type: 'object' as const,
        description: '',
        default: { n: 1 },
      }));
      registry.register(metadata('x', { parameters: declared }), async (given) => {
        for (const name of Object.keys(given)) delete given[name];
      });
      const before = structuredClone(parameters);

      await registry.execute('x', parameters).catch(() => undefined);

      expect(parameters).toEqual(before);
    },
  );
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

describe('add', () => {
  const echo = defineTool({
    name: 'echo',
    description: 'Says it again',
    inputSchema: z.object({ text: z.string().describe('what'), times: z.number().int().min(1).default(1) }),
    execute: async ({ text, times }) => ({ said: text.repeat(times) }),
  }) as Tool;

  it('R59: a finished tool is listed, found and executed like one made from metadata', async () => {
    const registry = registryOf('other');

    registry.add(echo, { tags: ['speech'] });

    expect(registry.list()[1]).toMatchObject({
      name: 'echo',
      description: 'Says it again',
      parameters: [
        { name: 'text', type: 'string', description: 'what', required: true },
        { name: 'times', type: 'number', description: '', default: 1, minimum: 1 },
      ],
      tags: ['speech'],
      version: '1.0.0',
    });
    expect(namesOf(registry.search('again'))).toEqual(['echo']);
    expect(await registry.execute('echo', { text: 'a', times: 2 })).toEqual({ said: 'aa' });
    expect(await registry.execute('echo', { text: 'a' })).toEqual({ said: 'a' });
  });

  it('R59: its own schema judges the input', async () => {
    const registry = new ToolRegistry();
    registry.add(echo);

    expect(await fails(registry, 'echo', { text: 1 })).toMatchObject({ code: 'VALIDATION_ERROR', field: 'text' });
    expect(await fails(registry, 'echo', { text: 'a', times: 0.5 })).toMatchObject({ field: 'times' });
    expect(await fails(registry, 'echo', [])).toMatchObject({ message: 'Parameters must be an object' });
  });

  it('R59: what it throws, and a result that is an error, reject', async () => {
    const registry = new ToolRegistry();
    const thrown = new Error('below');
    registry.add({
      ...echo,
      name: 'throws',
      execute: () => {
        throw thrown;
      },
    }); // prettier-ignore
    registry.add(
      defineTool({ ...definition(), execute: async () => ({ output: 'no such file', isError: true }) }) as Tool,
    );

    expect(await fails(registry, 'throws', { text: '' })).toMatchObject({
      message: 'Tool execution failed: throws',
      cause: thrown,
    });
    expect(await fails(registry, 'own')).toMatchObject({
      code: 'TOOL_EXECUTION_ERROR',
      message: 'Tool execution failed: own: no such file',
    });
  });

  it('R59: a text, and what a stream has said, is the result', async () => {
    const registry = new ToolRegistry();
    registry.add(
      defineTool({
        ...definition(),
        async *execute() {
          yield 'one ';
          yield 'two';
        },
      }) as Tool,
    );

    expect(await registry.execute('own', {})).toBe('one two');
  });

  it('R59: it gets the signal of the caller, and is told that it has no doors here', async () => {
    const registry = new ToolRegistry();
    const { signal } = new AbortController();
    registry.add(defineTool({ ...definition(), execute: async (_, context) => context.signal === signal }) as Tool);
    registry.add(
      defineTool({ ...definition(), name: 'reads', execute: (_, { workspace }) => workspace.readFile('/x') }) as Tool,
    );

    expect(await registry.execute('own', {}, { signal })).toBe(true);
    expect(await fails(registry, 'reads')).toMatchObject({
      code: 'NOT_IN_A_SESSION',
      message: 'Tool reads needs a workspace; run it in a session',
    });
  });

  it('R59: names, duplicates and options are judged as in register', () => {
    const registry = registryOf('echo');

    expect(() => registry.add(echo)).toThrow('Tool "echo" is already registered');
    expect(() => registry.add({ ...echo, name: 'Echo' })).toThrow(/lowercase/);
    expect(() => registry.add(echo, { overwrite: true })).not.toThrow();
    expect(() => registry.add({ name: 'half' } as never)).toThrow(/defineTool/);
  });

  it('R59: takes what defineTool takes, and refuses what is neither', async () => {
    const registry = new ToolRegistry();

    registry.add({
      name: 'plain',
      description: 'd',
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }) => n + 1,
    });

    expect(await registry.execute('plain', { n: 1 })).toBe(2);
    for (const other of [
      undefined,
      'x',
      {},
      { ...definition(), inputSchema: {}, execute: ok },
      { ...definition(), execute: 1 },
    ]) {
      expect(() => registry.add(other as never)).toThrow(ValidationError);
    }
  });

  it('R59: a schema that cannot be shown to a model is refused when the tool is added', () => {
    const tool = defineTool({ ...definition(), inputSchema: z.object({ at: z.date() }), execute: ok });
    const registry = new ToolRegistry();

    expect(() => registry.add(tool as Tool)).toThrow(ValidationError);
    expect(registry.list()).toEqual([]);
  });

  it('R60: the parameters of the caller are not changed by a finished tool either', async () => {
    const registry = new ToolRegistry();
    const given = { n: 1 };
    const inputSchema = { json: { type: 'object', properties: { n: {} } }, parse: (value: unknown) => value };
    registry.add({
      ...definition(),
      inputSchema,
      execute: async (input) => Object.assign(input as object, { n: 2 }),
    });

    expect(await registry.execute('own', given)).toEqual({ n: 2 });
    expect(given).toEqual({ n: 1 });
  });

  const definition = () => ({ name: 'own', description: 'd', inputSchema: z.object({}) });
});

describe('page', () => {
  it('is a page of what list answers, with its totals', () => {
    const registry = registryOf('a', 'b', 'c');
    registry.register(metadata('d', { tags: ['x'] }), ok);

    expect(namesOf(registry.page({ page: 2, limit: 3 }).items)).toEqual(['d']);
    expect(registry.page({}, { tag: 'x' })).toEqual({
      items: registry.list({ tag: 'x' }),
      page: 1,
      limit: 50,
      total: 1,
      totalPages: 1,
    });
    expect(() => registry.page({ limit: 101 })).toThrow(expect.objectContaining({ field: 'limit' }));
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

describe('search', () => {
  const found = (registry: ToolRegistry, query: string) => namesOf(registry.search(query));

  it('R25: finds enabled tools only, nothing for a blank query', () => {
    const registry = registryOf('read-file', 'write-file', 'send-mail');
    registry.disable('write-file');

    expect(found(registry, 'file')).toEqual(['read-file']);
    expect(found(registry, '')).toEqual([]);
    expect(found(registry, ' \n')).toEqual([]);
    expect(() => registry.search(undefined as never)).toThrow(ValidationError);
  });

  it('R51: a word weighs most in the name, then description, tags, category', () => {
    const registry = new ToolRegistry();
    const word = { description: 'x', tags: ['x'], category: 'x' };
    registry.register(metadata('four', { ...word, category: 'needle' }), ok);
    registry.register(metadata('three', { ...word, tags: ['needle'] }), ok);
    registry.register(metadata('two', { ...word, description: 'needle' }), ok);
    registry.register(metadata('needle-one', { ...word }), ok);

    expect(found(registry, 'NEEDLE')).toEqual(['needle-one', 'two', 'three', 'four']);
  });

  it('R51: the tool whose name is the query comes first', () => {
    const registry = new ToolRegistry({ namePattern: /^\w+$/ });
    registry.register(metadata('mail_mail_mail', { description: 'mail mail mail mail', tags: ['mail'] }), ok);
    registry.register(metadata('Mail', { description: 'a long text about quite other things, and many of them' }), ok);

    expect(found(registry, ' mail ')).toEqual(['Mail', 'mail_mail_mail']);
  });

  it.each([
    ['検索', '全文検索エンジンを呼び出す'],
    ['天气', '查询指定城市的天气预报'],
    ['번역', '문서를 한국어로 번역합니다'],
    ['エンジン', '全文検索エンジンを呼び出す'],
    ['木', '大きな木の写真'],
  ])('R52: finds %s inside %s', (query, description) => {
    const registry = registryOf('other');
    registry.register(metadata('tool', { description }), ok);

    expect(found(registry, query)).toEqual(['tool']);
  });

  it('R53: equal scores keep the order of registration, also after an overwrite', () => {
    const registry = new ToolRegistry();
    for (const name of ['b', 'a', 'c']) registry.register(metadata(name, { description: 'same words' }), ok);

    expect(found(registry, 'same')).toEqual(['b', 'a', 'c']);
    registry.register(metadata('b', { description: 'same words' }), ok, { overwrite: true });

    expect(found(registry, 'same')).toEqual(['b', 'a', 'c']);
  });

  it('R54: every change shows in the next search', () => {
    const registry = registryOf('one');
    expect(found(registry, 'does')).toEqual(['one']);

    registry.register(metadata('two'), ok);
    expect(found(registry, 'does')).toEqual(['one', 'two']);
    registry.disable('one');
    expect(found(registry, 'does')).toEqual(['two']);
    registry.enable('one');
    registry.unregister('two');
    expect(found(registry, 'does')).toEqual(['one']);
    registry.register(metadata('one', { description: 'other' }), ok, { overwrite: true });
    expect(found(registry, 'does')).toEqual([]);
    expect(found(registry, 'other')).toEqual(['one']);
  });
});
