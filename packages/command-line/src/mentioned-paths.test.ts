import { describe, expect, it } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { mentions } from './mentions.ts';
import { parseCommandLine } from './parse.ts';

const speaksOf = (pattern: string, line: string) => mentions(parseCommandLine(line), parseCommandPattern(pattern));

describe('a deny rule for a program with a path', () => {
  it.each([
    ['/usr/bin/touch *', 'touch x'],
    ['/usr/bin/touch *', '/usr/bin/touch x'],
    ['/usr/bin/touch *', '/usr/lib/../bin/touch x'],
    ['./deploy.sh', './deploy.sh --now'],
    ['./deploy.sh', 'bash deploy.sh'],
    ['./deploy.sh', '/work/deploy.sh'],
    ['scripts/deploy.sh *', './scripts/deploy.sh'],
    ['scripts/deploy.sh *', 'cd scripts && ./deploy.sh'],
    ['scripts/deploy.sh *', 'sh /work/scripts/deploy.sh'],
  ])('%s speaks of %s', (pattern, line) => {
    expect(speaksOf(pattern, line)).toBe('yes');
  });

  it.each([
    ['/usr/bin/touch *', '/tmp/touch x'],
    ['./deploy.sh', './build.sh'],
    ['scripts/deploy.sh *', 'ls scripts/deploy.sh'],
    ['scripts/deploy.sh *', './other/deploy.sh'],
  ])('%s does not speak of %s', (pattern, line) => {
    expect(speaksOf(pattern, line)).toBe('no');
  });
});
