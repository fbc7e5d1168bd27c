import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CanUseTool } from '@x/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../support/has-bubblewrap.ts';
import { bash, ran } from '../support/sandboxed.ts';

let folder = '';
let outside = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandboxed-')));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')));
  writeFileSync(join(outside, 'note.txt'), 'from outside');
});
afterAll(() => {
  for (const one of [folder, outside]) rmSync(one, { recursive: true });
});

describe.skipIf(!hasBubblewrap)(`where a command runs${NEEDS_BUBBLEWRAP}`, () => {
  it('autoAllowBashIfSandboxed: asks nothing about Bash; deny rules and plan mode still win (B07)', async () => {
    const asked: string[] = [];
    const canUseTool: CanUseTool = async (_, input) => {
      asked.push((input as { command: string }).command);
      return { behavior: 'deny', message: 'no' };
    };
    const mode = { permissionMode: 'default', canUseTool } as const;
    const calls = [bash('echo a'), bash('rm -f x')];

    const allowed = await ran(
      folder,
      calls,
      { autoAllowBashIfSandboxed: true },
      { ...mode, disallowedTools: ['Bash(rm *)'] },
    );
    const without = await ran(folder, [bash('echo a')], {}, mode);
    const planned = await ran(folder, [bash('echo a')], { autoAllowBashIfSandboxed: true }, { permissionMode: 'plan' });

    expect(allowed.failed).toEqual([false, true]);
    expect(asked).toEqual(['echo a']);
    expect([without.failed, planned.failed]).toEqual([[true], [true]]);
  });

  it.each([
    ['cat NOTE', true],
    ['cat NOTE NOTE', true],
    ['cat NOTE; echo x', false],
    ['cat NOTE | cat', true],
    ['cat $(echo NOTE)', false],
    ['A=1 cat NOTE', false],
    ['cat NOTE > copy', false],
    ['cat < NOTE', false],
    ['env cat NOTE', false],
    ['sh -c "cat NOTE"', false],
    ['cat "$HOME" NOTE', false],
    ['(cat NOTE)', true],
  ])('excludedCommands: [cat]: %s runs outside: %s (B09, ZS16)', async (line, runsOutside) => {
    const { outputs } = await ran(folder, [bash(line.replaceAll('NOTE', `${outside}/note.txt`))], {
      excludedCommands: ['cat'],
    });

    expect(outputs[0]?.includes('from outside')).toBe(runsOutside);
  });

  it('excludedCommands: go through the permissions, and are never allowed for the sandbox’s sake (B09)', async () => {
    const facts: boolean[] = [];
    const canUseTool: CanUseTool = async (_tool, _input, { unsandboxed }) => {
      facts.push(unsandboxed);
      return { behavior: 'deny', message: 'no' };
    };

    const { failed } = await ran(
      folder,
      [bash('cat a'), bash('echo a')],
      { excludedCommands: ['cat'], autoAllowBashIfSandboxed: true },
      { permissionMode: 'default', canUseTool },
    );

    expect(facts).toEqual([true]);
    expect(failed).toEqual([true, false]);
  });

  it('allowUnsandboxedCommands: offers a run outside after one inside has failed, always as a question (B08, B24)', async () => {
    const facts: boolean[] = [];
    const canUseTool: CanUseTool = async (_tool, _input, { unsandboxed }) => {
      facts.push(unsandboxed);
      return { behavior: 'allow' };
    };
    const line = `cat ${outside}/note.txt`;
    const settings = { allowUnsandboxedCommands: ['cat'] };

    const asked = await ran(folder, [bash(line), bash(line)], settings, { canUseTool });
    const unanswered = await ran(folder, [bash(line), bash(line)], settings, { autoApprove: ['Bash'] });
    const never = await ran(folder, [bash(line), bash(line)], {}, { canUseTool });

    expect(asked.failed).toEqual([true, false]);
    expect(asked.outputs[0]).toContain('whether it may run outside');
    expect(asked.outputs[1]).toBe('from outside');
    expect(facts).toEqual([true]);
    expect(unanswered.failed).toEqual([true, true]);
    expect(never.failed).toEqual([true, true]);
  });

  it('takes no field of a tool’s input for a switch (B16, ZS17)', async () => {
    const line = `cat ${outside}/note.txt`;
    const { outputs } = await ran(
      folder,
      ['dangerouslyDisableSandbox', 'sandbox', 'cwd', 'env'].map((key) => ({
        name: 'Bash',
        input: { command: line, [key]: false },
      })),
      {},
    );

    for (const output of outputs) expect(output).not.toContain('from outside');
  });
});
