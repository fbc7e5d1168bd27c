import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { outerPrelude } from './outer-prelude.ts';

/** More than the flags are read of. */
const MANY = 70;

describe.skipIf(process.platform !== 'linux')('outerPrelude (Linux)', () => {
  it('closes all descriptors where there are too many to look at', () => {
    const opened = Array.from({ length: MANY }, () => openSync('/dev/null', 'r'));
    try {
      const [shell, , script] = outerPrelude({});
      expect(shell).toBe('/bin/bash');
      expect(script).toContain('exec $fd>&-');
      expect(outerPrelude({ entrance: '/group/cgroup.procs' })).toContain('/group/cgroup.procs');
    } finally {
      for (const one of opened) closeSync(one);
    }
  });
});
