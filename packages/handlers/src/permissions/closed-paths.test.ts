import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { closedPaths } from './closed-paths.ts';
import { parseRules } from './rule.ts';

describe('closedPaths', () => {
  const kindOf = (name: string) => (name === 'Read' ? 'readonly' : 'write');
  const bytes = new TextEncoder().encode('x');

  it('names what Read rules close now, directories whole, links by their targets', async () => {
    const workspace = memoryWorkspace({ cwd: '/w' });
    for (const path of ['/w/app/.env', '/w/keys/a', '/w/free/b', '/w/free/target'])
      await workspace.writeFile(path, bytes);
    await workspace.makeLink('/w/free/.env', 'target');
    await workspace.makeLink('/w/free/other', 'b');
    const options = { kindOf, home: '/home/me', workspace } as const;
    const closed = (...rules: string[]) =>
      closedPaths(['/w', '/gone'], { ...options, deny: parseRules(rules, { home: '/home/me' }) });

    expect((await closed('Read(**/.env)', 'Read(keys/**)')).sort()).toEqual([
      '/w/app/.env',
      '/w/free/target',
      '/w/keys/a',
    ]);
    expect(await closed('Write(**/.env)', 'Bash(rm *)')).toEqual([]);
    expect(await closed()).toEqual([]);
  });
});
