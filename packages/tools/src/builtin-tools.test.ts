import { describe, expect, it } from 'vitest';
import { builtinTools } from './builtin-tools.ts';

describe('builtinTools', () => {
  it('are those of the specification, each with a schema, a description and, where a rule may speak of it, a subject', () => {
    const tools = builtinTools();

    expect(tools.map(({ name }) => name)).toEqual([
      'Read',
      'Write',
      'Edit',
      'Bash',
      'Glob',
      'Grep',
      'WebFetch',
      'TodoWrite',
    ]);
    for (const tool of tools) {
      expect(typeof tool.subject).toBe(tool.name === 'TodoWrite' ? 'undefined' : 'function');
      expect(tool.description.length).toBeGreaterThan(50);
      expect(tool.inputSchema.json).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('take no input that could widen anything', () => {
    const names = builtinTools().flatMap((tool) => Object.keys(tool.inputSchema.json['properties'] as object));

    expect(names.filter((name) => /sandbox|cwd|env|danger/i.test(name))).toEqual([]);
  });
});
