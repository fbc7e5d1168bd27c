import type { Workspace } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { known, withLinks } from '../../test/permission-values.ts';
import { guardedWorkspace } from './read-guard.ts';
import { parseRules } from './rule.ts';

const bytes = new TextEncoder().encode('x');

function guarded(workspace: Workspace, ...deny: readonly string[]): Workspace {
  const home = '/home/me';
  return guardedWorkspace(workspace, { deny: parseRules(deny, { home }), kindOf: (name) => known.get(name), home });
}

async function names(workspace: Workspace, directory: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of workspace.list(directory)) found.push(name);
  return found.sort();
}

const refused = { code: 'AUTHORIZATION_ERROR', message: expect.stringContaining('Read(**/.env)') };

describe('guardedWorkspace', () => {
  const made = () =>
    withLinks(
      { 'a/.env': 'secret', 'a/b.ts': 'text', '.env': 'secret', 'keys/k': 'secret' },
      { plain: '/workspace/.env', 'a/up': '/workspace', 'a/.env.link': 'nowhere' },
    );

  it('closes reading by any name that leads to a denied file', async () => {
    const workspace = guarded(await made(), 'Read(**/.env)');

    for (const path of ['.env', './a/../.env', '/workspace/a/.env', 'plain', 'a/up/.env']) {
      await expect(workspace.readFile(path)).rejects.toMatchObject(refused);
      await expect(workspace.stat(path)).rejects.toMatchObject(refused);
    }
    expect(await workspace.readFile('a/b.ts')).toBeDefined();
    expect(await workspace.stat('a/b.ts')).toBeDefined();
  });

  it('leaves denied files, and links to them, out of lists', async () => {
    const workspace = guarded(await made(), 'Read(**/.env)', 'Read(keys)');

    expect(await names(workspace, '.')).toEqual(['a']);
    expect(await names(workspace, 'a')).toEqual(['.env.link', 'b.ts', 'up']);
    expect(await names(workspace, 'a/up')).toEqual(['a']);
    await expect(names(workspace, 'keys')).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
  });

  it('follows the directory that a rule names to where it leads', async () => {
    const workspace = guarded(await withLinks({ '/data/k': '' }, { keys: '/data' }), 'Read(keys/**)');

    await expect(workspace.readFile('/data/k')).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
    expect(await names(workspace, '/data')).toEqual([]);
  });

  it('closes writing by the rules of writing tools, and reading stays open', async () => {
    const inner = await withLinks({ 'x.lock': '1' }, { alias: '/workspace/x.lock' });
    const workspace = guarded(inner, 'Edit(*.lock)');

    await expect(workspace.writeFile('x.lock', bytes)).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
    await expect(workspace.writeFile('alias', bytes)).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
    await expect(workspace.remove('x.lock')).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
    await expect(workspace.makeLink('y.lock', '/etc')).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
    await expect(workspace.makeLink('sub/y', '../x.lock')).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
    await expect(workspace.makeDirectory('z.lock/deep')).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
    expect(new TextDecoder().decode(await workspace.readFile('x.lock'))).toBe('1');
    await workspace.writeFile('free', bytes);
    await workspace.makeLink('link', 'free');
    await workspace.makeDirectory('dir');
    await workspace.remove('link');
    expect(await names(inner, '.')).toEqual(['alias', 'dir', 'free', 'x.lock']);
  });

  it('narrows neither commands nor what no rule speaks of', () => {
    const inner = memoryWorkspace();

    expect(guarded(inner, 'Bash(rm *)', 'Read', 'WebFetch(domain:x.org)', 'unknown(a)')).toBe(inner);
    expect(guarded(inner, 'Read(.env)').spawn).toBe(inner.spawn);
  });

  it('without its look at where a path leads, a link would walk around the rule', async () => {
    const inner = await made();
    const forgetful: Workspace = {
      ...inner,
      resolve: async (path) => path,
      readFile: (path) => inner.readFile(path),
    };

    expect(await guarded(forgetful, 'Read(**/.env)').readFile('plain')).toBeDefined();
    await expect(guarded(inner, 'Read(**/.env)').readFile('plain')).rejects.toMatchObject(refused);
  });
});
