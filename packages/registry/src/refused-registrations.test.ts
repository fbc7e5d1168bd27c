import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { metadata, namesOf, ok, registryOf } from '../test/registries.ts';
import type { RegisterOptions, ToolMetadata } from './metadata.ts';
import { ToolRegistry } from './tool-registry.ts';

describe('register', () => {
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

  it.each<[string, object, string]>([
    ['a JSON Schema as parameters', { parameters: { type: 'object', properties: {} } }, 'functionTool'],
    ['an inputSchema', { inputSchema: { type: 'object' } }, 'use add('],
    [
      'a regular expression as pattern',
      { parameters: [{ name: 'p', type: 'string', description: '', pattern: /^a$/ }] },
      "parameters[0].pattern must be a text, such as '^a$'",
    ],
  ])('says what to do about %s', (_, more, message) => {
    expect(() => new ToolRegistry().register(metadata('a', more), ok)).toThrow(message);
  });

  it.each([{ overwirte: true }, { enabled: false }, { version: 1 }, { tags: [1] }, { overwrite: 'yes' }, null])(
    'R12: refuses the options %j',
    (options) => {
      expect(() => new ToolRegistry().register(metadata('a'), ok, options as never)).toThrow(ValidationError);
    },
  );

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
});
