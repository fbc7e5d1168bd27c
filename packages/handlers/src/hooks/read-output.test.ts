import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { hookEvents } from './hook-events.ts';
import { printedOutput, returnedOutput } from './hook-json.ts';
import { readOutput } from './read-output.ts';
import type { HookEvent } from './types.ts';

describe('readOutput', () => {
  it.each<[HookEvent, object, object]>([
    ['PreToolUse', {}, {}],
    ['PreToolUse', { permissionDecision: 'allow' }, { decision: 'allow' }],
    ['PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }, { decision: 'deny', reason: 'no' }],
    ['PreToolUse', { decision: 'block', reason: 'no' }, { decision: 'deny', reason: 'no' }],
    ['PreToolUse', { decision: 'approve' }, { decision: 'allow' }],
    [
      'PreToolUse',
      { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } },
      { decision: 'ask' },
    ],
    ['PreToolUse', { updatedInput: { a: 1 } }, { changes: { tool_input: { a: 1 } } }],
    ['PreToolUse', { action: 'continue', modifiedInput: 1 }, { changes: { tool_input: 1 } }],
    ['PreToolUse', { action: 'skip', reason: 'done before' }, { skip: true, reason: 'done before' }],
    ['PreToolUse', { action: 'abort', reason: 'no' }, { decision: 'deny', reason: 'no' }],
    ['PreToolUse', { additionalContext: 'by the way' }, { context: 'by the way' }],
    ['PreToolUse', { continue: false, stopReason: 'enough' }, { stop: 'enough' }],
    ['PreToolUse', { continue: true }, {}],
    ['PreToolUse', { systemMessage: 'hi', suppressOutput: true }, { systemMessage: 'hi', quiet: true }],
    ['PreToolUse', { updatedOutput: 'not of this event' }, {}],
    ['PreToolUse', { hookSpecificOutput: { hookEventName: 'PreToolUse' } }, {}],
    ['PostToolUse', { updatedOutput: 'x' }, { changes: { tool_output: 'x' } }],
    ['PostToolUse', { action: 'continue', modifiedOutput: 'x' }, { changes: { tool_output: 'x' } }],
    ['PostToolUse', { permissionDecision: 'allow', updatedInput: {} }, {}],
    ['UserPromptSubmit', { decision: 'block', reason: 'no' }, { decision: 'deny', reason: 'no' }],
    ['UserPromptSubmit', { action: 'skip' }, { decision: 'deny' }],
    [
      'UserPromptSubmit',
      { updatedPrompt: 'b', contextInjection: 'c' },
      { changes: { user_prompt: 'b' }, context: 'c' },
    ],
    ['UserPromptSubmit', { action: 'continue', modifiedInput: 'b' }, { changes: { user_prompt: 'b' } }],
    ['UserPromptSubmit', { decision: 'approve' }, {}],
    ['PermissionRequest', { decision: 'approve', reason: 'fine' }, { decision: 'allow', reason: 'fine' }],
    ['PermissionRequest', { decision: 'ask' }, { decision: 'ask' }],
    ['PermissionRequest', { action: 'skip' }, { decision: 'deny' }],
    ['PermissionRequest', { permissionDecision: 'allow' }, {}],
    ['PermissionRequest', { permissionDecision: 'deny' }, { decision: 'deny' }],
    ['Stop', { continue: true, continueReason: 'tests fail' }, { decision: 'deny', reason: 'tests fail' }],
    ['Stop', { continue: false }, { stop: 'it gave no reason' }],
    ['SubagentStop', { decision: 'block', reason: 'more' }, { decision: 'deny', reason: 'more' }],
    ['TaskCompleted', { blockCompletion: true, blockReason: 'more' }, { decision: 'deny', reason: 'more' }],
    ['TaskCompleted', { blockCompletion: false }, {}],
    ['Compaction', { blockCompaction: true }, { decision: 'deny' }],
    ['SessionStart', { env: { A: '1' } }, { env: { A: '1' } }],
  ])('%s: %j', (event, output, answer) => {
    expect(readOutput(event, output)).toEqual(answer);
  });

  it.each<[object, string]>([
    [{ permissionDecision: 'Allow' }, 'allow, deny, ask'],
    [{ permissionDecision: true }, 'allow, deny, ask'],
    [{ permissionDecision: ['allow'] }, 'allow, deny, ask'],
    [{ permissionDecision: null }, 'allow, deny, ask'],
    [{ decision: 'Block' }, 'approve, deny, ask, block'],
    [{ decision: { behavior: 'allow' } }, 'approve, deny, ask, block'],
    [{ action: 'proceed' }, 'continue, skip, abort'],
    [{ continue: 'false' }, 'continue must be true or false'],
    [{ continue: 0 }, 'continue must be true or false'],
    [{ additionalContext: 1 }, 'additionalContext must be a text'],
    [{ updatedOutput: { text: 'x' } }, 'updatedOutput must be a text'],
    [{ env: { A: 1 } }, 'env must be'],
    [{ env: { 'A B': '1' } }, 'env must be'],
    [{ env: ['A=1'] }, 'env must be'],
    [{ hookSpecificOutput: 'x' }, 'hookSpecificOutput must be an object'],
    [{ permissionDecision: 'allow', hookSpecificOutput: { permissionDecision: 'deny' } }, 'says two things'],
  ])('refuses %j, a known key of a wrong type', (output, text) => {
    expect(() => readOutput('PreToolUse', output)).toThrow(text);
  });

  it.each<[object, string]>([
    [{ permissionDecison: 'deny' }, 'unknown permissionDecison; did you mean permissionDecision?'],
    [{ hookSpecificOutput: { permissionDecison: 'deny' } }, 'unknown permissionDecison'],
    [{ permissionDecision: 'deny', permisionDecisionReason: 'x' }, 'unknown permisionDecisionReason'],
    [{ behavior: 'deny', message: 'no' }, 'unknown behavior'],
    [{ permission: 'deny' }, 'unknown permission'],
    [{ allow: false }, 'unknown allow'],
    [{ Continue: false }, 'unknown Continue'],
    [{ decison: 'deny' }, 'unknown decison'],
    [{ deny: true }, 'unknown deny'],
    [{ blocked: true }, 'unknown blocked'],
  ])('refuses %j, which decides nothing', (output, text) => {
    for (const event of hookEvents()) expect(() => readOutput(event, output)).toThrow(text);
  });

  it('reads no key of a prototype', () => {
    const inherited = Object.create({ permissionDecision: 'allow', updatedInput: {} }) as object;

    expect(readOutput('PreToolUse', inherited)).toEqual({});
  });

  it('keeps a long reason to a length that fits into an entry', () => {
    const { reason } = readOutput('PreToolUse', { decision: 'deny', reason: 'x'.repeat(1_000_000) });

    expect(reason).toMatch(/^x{100000} \[900000 characters more\]$/);
  });

  test.prop([
    fc.constantFrom(...hookEvents()),
    fc.object({ key: fc.constantFrom('permissionDecision', 'decision', 'action', 'continue', 'x') }),
  ])('allows only where the output says exactly that', (event, output) => {
    let decision: string | undefined;
    try {
      ({ decision } = readOutput(event, output));
    } catch {
      decision = 'broken';
    }

    const says =
      output['permissionDecision'] === 'allow' || output['decision'] === 'approve' || output['decision'] === 'allow';
    expect(decision === 'allow' && !says).toBe(false);
  });
});

describe('printedOutput', () => {
  it.each(['', '  \n', 'all is well', 'true', '"deny"', '[]', '17'])('takes %j as no output', (text) => {
    expect(printedOutput(text)).toBeUndefined();
  });

  it.each([
    '{"permissionDecision":"deny"',
    'log line\n{"permissionDecision":"deny"}',
    '{"permissionDecision":"deny"}\n{"permissionDecision":"allow"}',
    '[{"permissionDecision":"deny"}]',
    '"{}"',
    "{'permissionDecision':'deny'}",
  ])('refuses %j, which may hold an answer', (text) => {
    expect(() => printedOutput(text)).toThrow(/JSON/);
  });

  it('leaves out what could reach a prototype', () => {
    const output = printedOutput(
      '{"__proto__":{"permissionDecision":"allow"},"updatedInput":{"__proto__":{"a":1},"b":2}}',
    );

    expect(output).toEqual({ updatedInput: { b: 2 } });
    expect(Object.keys((output as { updatedInput: object }).updatedInput)).toEqual(['b']);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  it('takes constructor and prototype as keys like any other', () => {
    const output = printedOutput('{"constructor":{"prototype":{"polluted":true}}}');

    expect(readOutput('PreToolUse', output!)).toEqual({});
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('returnedOutput', () => {
  it.each([[undefined], [null]])('takes %s as no output', (value) => {
    expect(returnedOutput(value)).toBeUndefined();
  });

  it.each([
    ['a text', 'deny'],
    ['false', false],
    ['a list', [{}]],
    ['a map', new Map([['permissionDecision', 'deny']])],
    [
      'an instance',
      new (class Output {
        readonly permissionDecision: string = 'deny';
      })(),
    ],
    ['an object on an object', Object.create({ permissionDecision: 'deny' })],
    ['an object that writes itself as another', { permissionDecision: 'deny', toJSON: () => ({}) }],
    ['a function', () => ({})],
  ])('refuses %s', (_what, value) => {
    expect(() => returnedOutput(value)).toThrow('no plain object');
  });

  it('is a copy: what the hook does to its own afterwards changes nothing', () => {
    const output = { updatedInput: { command: 'ls' } };

    const read = returnedOutput(output);
    output.updatedInput.command = 'rm -rf /';

    expect(read).toEqual({ updatedInput: { command: 'ls' } });
  });
});
