import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outerPrelude } from './outer-prelude.ts';
import { processGroup } from './process-group.ts';

const first = processGroup(10);
await first?.remove();

describe.skipIf(!first)(`processGroup${first ? '' : ' (needs root and cgroups that can be written)'}`, () => {
  it('is entered by a command before the wall is built', async () => {
    const group = processGroup(10)!;
    const name = basename(dirname(group.entrance));
    const [shell = '', ...prelude] = outerPrelude({ entrance: group.entrance });

    expect(execFileSync(shell, [...prelude, 'cat', '/proc/self/cgroup'], { encoding: 'utf8' })).toContain(name);
    expect(execFileSync('cat', ['/proc/self/cgroup'], { encoding: 'utf8' })).not.toContain(name);

    await group.remove();
    expect(existsSync(dirname(group.entrance))).toBe(false);
  });

  it('that could not be removed in time goes with a later one', async () => {
    const slow = processGroup(10)!;
    const inside = spawn('sleep', ['600']);
    writeFileSync(slow.entrance, String(inside.pid));
    try {
      await slow.remove();
      expect(existsSync(dirname(slow.entrance))).toBe(true);
    } finally {
      const exit = once(inside, 'exit');
      inside.kill('SIGKILL');
      await exit;
    }

    const later = processGroup(10)!;
    await later.remove();

    expect([slow, later].filter(({ entrance }) => existsSync(dirname(entrance)))).toEqual([]);
  });
});
