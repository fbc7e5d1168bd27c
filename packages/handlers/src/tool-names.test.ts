import { describe, expect, it } from 'vitest';
import { tool } from '../test/values.ts';
import { checkToolNames, splitToolRules } from './tool-names.ts';

describe('splitToolRules', () => {
  it('parts names from rules, and leaves what is neither to be refused', () => {
    expect(splitToolRules(['Bash', 'Bash(rm *)', 'x)', 'Read(**/.env)', 7 as never])).toEqual({
      names: ['Bash', 7],
      rules: ['Bash(rm *)', 'x)', 'Read(**/.env)'],
    });
  });
});

describe('checkToolNames', () => {
  const tools = [tool('Bash'), tool('bash2'), tool('mcp__a__b')];

  it.each(['bash', 'BASH', 'bash(rm *)', 'MCP__a__b'])('refuses %s and says which tool is meant', (name) => {
    expect(() => checkToolNames(['Bash', name], { tools, field: 'disallowedTools' })).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        field: 'disallowedTools',
        message: expect.stringContaining('write '),
      }),
    );
  });

  it.each([
    ['*', 'no wildcards'],
    ['B*', 'no wildcards'],
    ['mcp__*', 'no wildcards'],
    ['mcp__a__b*', 'no wildcards'],
    ['mcp__a__b__*', 'no wildcards'],
    ['mcp__a', 'write mcp__a__* for all its tools'],
    ['mcp__a__c(d)', 'write mcp__a__c'],
    ['Bash|Write', 'an entry of its own'],
    ['Bash,Write', 'an entry of its own'],
    ['Bash; Write', 'an entry of its own'],
    ['Bash *', 'such as Bash(rm *)'],
    ['Bash:*', 'such as Bash(rm *)'],
    [' Bash', 'write it exactly'],
    ['Bash ', 'write it exactly'],
    ['!Bash', 'write it exactly'],
    ['/Bash/', 'write it exactly'],
    ['B\u0430sh', 'write it exactly'],
    ['', 'write it exactly'],
    [7, 'is not a text'],
  ])('refuses %j, which hides nothing, and says what to write', (name, hint) => {
    expect(() => checkToolNames([name as string], { tools, field: 'disallowedTools' })).toThrow(
      expect.objectContaining({ field: 'disallowedTools', message: expect.stringContaining(hint) }),
    );
  });

  it('refuses a name that no tool has, where no further tools can come', () => {
    const closed = { tools, field: 'autoApprove', open: false };

    expect(() => checkToolNames(['Bash(ls)', 'bash2'], closed)).not.toThrow();
    expect(() => checkToolNames(['Bsh(ls)'], closed)).toThrow(
      /autoApprove: "Bsh\(ls\)" names no tool .*did you mean Bash/,
    );
  });

  it('refuses a rule where whole tools are wanted', () => {
    expect(() => checkToolNames(['Bash(ls)'], { tools, field: 'allowedTools', whole: true })).toThrow(/autoApprove/);
  });

  it('passes the exact names, those that nothing resembles, and two tools that differ by case', () => {
    const twins = [tool('go'), tool('Go')];

    expect(() => checkToolNames(['Bash(rm *)', 'later'], { tools, field: 'x' })).not.toThrow();
    expect(() => checkToolNames(['go', 'Go'], { tools: twins, field: 'x' })).not.toThrow();
  });
});
