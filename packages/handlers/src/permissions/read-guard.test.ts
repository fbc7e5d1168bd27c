import type { Workspace } from '@x/core';
import { memoryWorkspace, workspaceContract } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { known, withLinks } from '../../test/permission-values.ts';
import { pathForms } from './judge-paths.ts';
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

  it('keeps the promises of every workspace, also when paths were judged', async () => {
    const cases = workspaceContract(
      () => {
        const inner = memoryWorkspace();
        const judged = [{ spelled: inner.cwd, resolved: inner.cwd }];
        return { workspace: guardedWorkspace(inner, { deny: [], kindOf: () => undefined, judged }) };
      },
      { commands: false },
    );

    for (const item of cases) await item.run();

    expect(cases.length).toBeGreaterThan(20);
  });
});

describe('guardedWorkspace, of what was judged', () => {
  /** The doors of a call whose paths were judged just now, and the workspace behind them. */
  async function judgedAt(paths: readonly string[], links: Readonly<Record<string, string>> = {}) {
    const inner = await withLinks({ 'dir/a': 'mine', 'outside/a': 'not mine', 'dir/deep/b': 'mine' }, links);
    const judged = await Promise.all(paths.map((path) => pathForms(path, inner, undefined)));
    return { inner, workspace: guardedWorkspace(inner, { deny: [], kindOf: () => undefined, judged }) };
  }
  const becomesLink = async (inner: Workspace) => {
    for (const path of ['dir/deep/b', 'dir/deep', 'dir/a', 'dir']) await inner.remove(path);
    await inner.makeLink('dir', 'outside');
  };
  const moved = { code: 'AUTHORIZATION_ERROR', message: expect.stringMatching(/^\S+ leads .* ask again/) };

  it('refuses a path that leads elsewhere by now, and the paths below and around it', async () => {
    const { inner, workspace } = await judgedAt(['dir/a', 'dir/deep']);
    await becomesLink(inner);

    await expect(workspace.readFile('dir/a')).rejects.toMatchObject(moved);
    await expect(workspace.stat('dir/a')).rejects.toMatchObject(moved);
    await expect(workspace.writeFile('/workspace/dir/a', bytes)).rejects.toMatchObject(moved);
    await expect(workspace.remove('dir/a')).rejects.toMatchObject(moved);
    await expect(workspace.makeLink('dir/deep/l', 'x')).rejects.toMatchObject(moved);
    await expect(workspace.makeDirectory('dir/deep/new')).rejects.toMatchObject(moved);
    await expect(names(workspace, 'dir/deep')).rejects.toMatchObject(moved);
    await expect(names(workspace, 'dir')).rejects.toMatchObject(moved);
    expect(await names(inner, 'outside')).toEqual(['a']);
  });

  it('leads to the judged place also when a link comes between the look and the use', async () => {
    const { inner } = await judgedAt([]);
    const late: Workspace = {
      ...inner,
      async writeFile(path, content, options) {
        await becomesLink(inner);
        await inner.writeFile(path, content, options);
      },
    };
    const judged = [{ spelled: '/workspace/dir/a', resolved: '/workspace/dir/a' }];
    const workspace = guardedWorkspace(late, { deny: [], kindOf: () => undefined, judged });

    await expect(workspace.writeFile('dir/a', bytes)).rejects.toMatchObject(moved);
    expect(new TextDecoder().decode(await inner.readFile('outside/a'))).toBe('not mine');
  });

  it('would be led elsewhere in a workspace that does not know noFollow (control)', async () => {
    const { inner } = await judgedAt([]);
    const late: Workspace = {
      ...inner,
      async writeFile(path, content) {
        await becomesLink(inner);
        await inner.writeFile(path, content);
      },
    };
    const judged = [{ spelled: '/workspace/dir/a', resolved: '/workspace/dir/a' }];

    await guardedWorkspace(late, { deny: [], kindOf: () => undefined, judged }).writeFile('dir/a', bytes);

    expect(await inner.readFile('outside/a')).toEqual(bytes);
  });

  it('follows a link that was there when it was judged, and means the link itself where a name is meant', async () => {
    const { inner, workspace } = await judgedAt(['to/a', 'to/link'], { to: 'dir', 'dir/link': '../outside/a' });

    expect(new TextDecoder().decode(await workspace.readFile('to/a'))).toBe('mine');
    expect(new TextDecoder().decode(await workspace.readFile('to/link'))).toBe('not mine');
    expect(await workspace.stat('to/link')).toMatchObject({ kind: 'symlink' });
    await workspace.remove('to/link');
    expect(await names(inner, 'dir')).toEqual(['a', 'deep']);
    expect(await names(inner, 'outside')).toEqual(['a']);
  });

  it('leads out of a judged directory by no link in it, which can be seen nevertheless', async () => {
    const { workspace } = await judgedAt(['dir'], { 'dir/link': '../outside/a', 'dir/near': 'a' });

    await expect(workspace.readFile('dir/link')).rejects.toMatchObject({
      code: 'AUTHORIZATION_ERROR',
      message: expect.stringContaining('leads to /workspace/outside/a, and what is in /workspace/dir was allowed'),
    });
    expect(await workspace.stat('dir/link')).toMatchObject({ kind: 'symlink' });
    expect(new TextDecoder().decode(await workspace.readFile('dir/near'))).toBe('mine');
    expect(new TextDecoder().decode(await workspace.readFile('dir/deep/b'))).toBe('mine');
  });

  it('says nothing of other paths', async () => {
    const { workspace } = await judgedAt(['dir/a'], { link: 'outside' });

    expect(new TextDecoder().decode(await workspace.readFile('link/a'))).toBe('not mine');
  });
});
