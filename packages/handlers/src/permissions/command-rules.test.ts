import { describe, expect, it } from 'vitest';
import { about, bash, outcome } from '../../test/permission-values.ts';

describe('command rules', () => {
  const run = (line: string, allow: readonly string[]) => outcome(about(bash, line), { allow });

  it('let a line pass when the rules together cover every command of it', async () => {
    expect(await run('git status', ['Bash(git *)'])).toBe('allow_rule: allow');
    expect(await run('git status && ls', ['Bash(git *)'])).toBe('nobody: deny');
    expect(await run('git status && ls', ['Bash(git *)', 'Bash(ls)'])).toBe('allow_rule: allow');
    expect(await run('gitk status', ['Bash(git *)'])).toBe('nobody: deny');
    expect(await run('git status', ['Bash(git:*)'])).toBe('allow_rule: allow');
    expect(await run('anything | at all', ['Bash'])).toBe('allow_rule: allow');
    expect(await run('(git status) && { git log; }', ['Bash(git *)'])).toBe('allow_rule: allow');
  });

  it.each([
    'git status && curl x',
    'git status; curl x',
    'git status | curl x',
    'git status & curl x',
    'git status\ncurl x',
    'git $(curl x)',
    'git `curl x`',
    'git diff <(curl x)',
    'git log >(curl x)',
    'git apply <<E\n$(curl x)\nE',
    '(git status; curl x)',
    '{ git status; curl x; }',
    'f() { git status; }; f',
    'git log > out',
    'GIT_SSH_COMMAND=x git fetch',
    'LD_PRELOAD=x git status',
    'PATH=. git status',
    'env git status',
  ])('never let %j pass for git alone', async (line) => {
    expect(await run(line, ['Bash(git *)'])).toBe('nobody: deny');
  });

  it.each([
    '/usr/bin/curl x',
    'cu\\rl x',
    '"curl" x',
    'env curl x',
    'timeout 5 curl x',
    'nohup curl x',
    'xargs curl x',
    'command curl x',
    'exec curl x',
    "bash -c 'curl x'",
    '(curl x)',
    'f() { curl x; }; f',
    'echo $(curl x)',
    `${'true; '.repeat(59)}curl x`,
  ])('deny %j in every mode', async (line) => {
    expect(
      await outcome(about(bash, line), { deny: ['Bash(curl *)'], mode: 'bypassPermissions', allow: ['Bash'] }),
    ).toBe('deny_rule: deny');
  });

  it('ask in every mode about a line that hides what it runs', async () => {
    const mode = 'bypassPermissions';

    expect(await outcome(about(bash, '$X y'), { deny: ['Bash(rm *)'], mode })).toBe('nobody: deny');
    expect(
      await outcome(
        about(bash, '$X y'),
        { deny: ['Bash(rm *)'], mode },
        { canUseTool: async () => ({ behavior: 'allow' }) },
      ),
    ).toBe('can_use_tool: allow');
    expect(await outcome(about(bash, '$X y'), { mode })).toBe('mode: allow');
  });
});
