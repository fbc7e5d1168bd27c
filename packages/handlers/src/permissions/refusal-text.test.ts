import { describe, expect, it } from 'vitest';
import { about, bash, edit, judged, outcome } from '../../test/permission-values.ts';

describe('a refusal', () => {
  it('says how to allow this very call', async () => {
    const output = async (...args: Parameters<typeof judged>) => (await judged(...args)).value.output;

    const command = await output(about(bash, 'npm run test'), {});
    const path = await output(about(edit, 'a(1).ts'), {});

    expect(command).toMatch(
      /^Bash was not run: .*autoApprove: \["Bash\(npm run test\)"\].*canUseTool.*permissionMode 'bypassPermissions'/,
    );
    expect(path).toContain('autoApprove: ["Edit(/workspace/a\\\\(1\\\\).ts)"]');
    expect(path).toContain("permissionMode 'acceptEdits' or 'bypassPermissions'");
    expect(await outcome(about(bash, 'npm run test'), { allow: ['Bash(npm run test)'] })).toBe('allow_rule: allow');
    expect(await outcome(about(edit, 'a(1).ts'), { allow: ['Edit(/workspace/a\\(1\\).ts)'] })).toBe(
      'allow_rule: allow',
    );
  });

  it('names no rule that would allow more than the call, and no mode where none helps', async () => {
    const { value: compound } = await judged(about(bash, 'git log && rm x'), {});
    const { value: asked } = await judged(about(bash, 'ls'), { ask: ['Bash(ls)'], mode: 'bypassPermissions' });

    expect(compound.output).not.toContain('autoApprove');
    expect(asked.output).not.toMatch(/autoApprove|permissionMode/);
    expect(asked.output).toContain('take Bash(ls) out of its rules');
  });

  it('names the rule that denies', async () => {
    const { events, value } = await judged(about(bash, 'rm -rf x'), {
      deny: ['Bash(rm *)'],
      mode: 'bypassPermissions',
    });

    expect(value.output).toBe('Bash was not run: the rule Bash(rm *) denies it');
    expect(events).toEqual([
      {
        type: 'permission',
        id: 'c1',
        decision: 'deny',
        step: 'deny_rule',
        reason: expect.any(String),
        matchedRule: 'Bash(rm *)',
      },
    ]);
  });
});
