import { broken, rejection, same } from './contract-case.ts';
import { get, listed, put, type WorkspaceCase } from './workspace-case.ts';

const resolving: readonly WorkspaceCase[] = [
  [
    'resolves a relative path from cwd, to the same place as its absolute form',
    async (workspace) => {
      const root = await workspace.resolve('.');
      same(await workspace.resolve('a/../b.txt'), await workspace.resolve(`${root}/b.txt`), 'resolve');
      same(await workspace.resolve(workspace.cwd), root, 'resolve of cwd');
    },
  ],
  [
    'resolves the links of the deepest existing ancestor',
    async (workspace) => {
      await workspace.makeDirectory('real');
      await workspace.makeLink('link', 'real');

      same(await workspace.resolve('link/not/there'), await workspace.resolve('real/not/there'), 'below a link');
    },
  ],
  [
    'resolves a link to a missing file to that file',
    async (workspace) => {
      await workspace.makeLink('link', 'missing.txt');

      same(await workspace.resolve('link'), await workspace.resolve('missing.txt'), 'a dangling link');
    },
  ],
  [
    'refuses a path with a NUL character',
    async (workspace) => {
      same(await rejection(workspace.readFile('a\0b'), 'readFile'), 'VALIDATION_ERROR', 'readFile');
      same(await rejection(put(workspace, 'a\0b', ''), 'writeFile'), 'VALIDATION_ERROR', 'writeFile');
      same(await rejection(workspace.makeLink('l', 'a\0b'), 'makeLink'), 'VALIDATION_ERROR', 'target of makeLink');
    },
  ],
];

const writing: readonly WorkspaceCase[] = [
  [
    'reads back the very bytes that were written',
    async (workspace) => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
      await workspace.writeFile('bytes', bytes);

      const read = await workspace.readFile('bytes');

      same(read.length, bytes.length, 'length');
      if (!read.every((byte, index) => byte === bytes[index])) throw broken('the bytes differ');
    },
  ],
  [
    'writes an empty file',
    async (workspace) => {
      await put(workspace, 'empty', '');

      same((await workspace.stat('empty'))?.size, 0, 'size');
    },
  ],
  [
    'replaces the whole file, also by a shorter one',
    async (workspace) => {
      await put(workspace, 'a.txt', 'a long first text');
      await put(workspace, 'a.txt', 'short');

      same(await get(workspace, 'a.txt'), 'short', 'content');
      same(await listed(workspace, '.'), ['a.txt:file'], 'what is left in the directory');
    },
  ],
  [
    'creates the parents of a written file',
    async (workspace) => {
      await put(workspace, 'a/b/c.txt', 'text');

      same(await get(workspace, 'a/b/c.txt'), 'text', 'content');
      same((await workspace.stat('a/b'))?.kind, 'directory', 'kind of the parent');
    },
  ],
  [
    'keeps the mode of a replaced file, and sets the one it is given',
    async (workspace) => {
      await put(workspace, 'run.sh', 'one', 0o750);
      await put(workspace, 'run.sh', 'two');
      same((await workspace.stat('run.sh'))?.mode, 0o750, 'mode kept');

      await put(workspace, 'run.sh', 'three', 0o600);
      same((await workspace.stat('run.sh'))?.mode, 0o600, 'mode set');
    },
  ],
  [
    'refuses to write where a directory is',
    async (workspace) => {
      await put(workspace, 'directory/a.txt', 'kept');

      same(await rejection(put(workspace, 'directory', 'text'), 'writeFile'), 'EISDIR', 'writeFile');
      same(await get(workspace, 'directory/a.txt'), 'kept', 'what is in it');
      same(await listed(workspace, '.'), ['directory:directory'], 'what is left next to it');
    },
  ],
  [
    'is not changed by later changes of the bytes it was given or has handed out',
    async (workspace) => {
      const bytes = new TextEncoder().encode('text');
      await workspace.writeFile('a.txt', bytes);
      bytes.fill(0);
      (await workspace.readFile('a.txt')).fill(0);

      same(await get(workspace, 'a.txt'), 'text', 'content');
    },
  ],
];

const reading: readonly WorkspaceCase[] = [
  [
    'rejects with ENOENT when a missing file is read, listed or removed',
    async (workspace) => {
      same(await rejection(workspace.readFile('missing'), 'readFile'), 'ENOENT', 'readFile');
      same(await rejection(listed(workspace, 'missing'), 'list'), 'ENOENT', 'list');
      same(await rejection(workspace.remove('missing'), 'remove'), 'ENOENT', 'remove');
    },
  ],
  [
    'rejects with EISDIR when a directory is read',
    async (workspace) => {
      await workspace.makeDirectory('directory');

      same(await rejection(workspace.readFile('directory'), 'readFile'), 'EISDIR', 'readFile');
    },
  ],
  [
    'answers undefined for the stat of what is not there',
    async (workspace) => {
      await put(workspace, 'a.txt', '');

      same(await workspace.stat('missing'), undefined, 'stat of a missing file');
      same(await workspace.stat('a.txt/below'), undefined, 'stat below a file');
    },
  ],
  [
    'reports the size in bytes and a time that does not run backwards',
    async (workspace) => {
      await put(workspace, 'old.txt', 'äö');
      await put(workspace, 'new.txt', '');
      const [old, young] = [await workspace.stat('old.txt'), await workspace.stat('new.txt')];

      same(old?.size, 4, 'size');
      if (!old || !young || old.modifiedMs > young.modifiedMs) throw broken('the older file has the younger time');
    },
  ],
  [
    'lists names and kinds of what is directly in a directory',
    async (workspace) => {
      await put(workspace, 'd/file', '');
      await put(workspace, 'd/sub/deep', '');
      await workspace.makeLink('d/link', 'file');

      same(await listed(workspace, 'd'), ['file:file', 'link:symlink', 'sub:directory'], 'list');
    },
  ],
];

const linking: readonly WorkspaceCase[] = [
  [
    'reads through a link, whose target is seen from the directory of the link',
    async (workspace) => {
      await put(workspace, 'd/target.txt', 'text');
      await workspace.makeLink('d/link', 'target.txt');

      same(await get(workspace, 'd/link'), 'text', 'content');
    },
  ],
  [
    'describes the link itself, not its target',
    async (workspace) => {
      await put(workspace, 'target.txt', 'text');
      await workspace.makeLink('link', 'target.txt');
      await workspace.makeLink('dangling', 'missing');

      same((await workspace.stat('link'))?.kind, 'symlink', 'kind');
      same((await workspace.stat('dangling'))?.kind, 'symlink', 'kind of a dangling one');
    },
  ],
  [
    'writes to the file behind a link and leaves the link',
    async (workspace) => {
      await put(workspace, 'd/target.txt', 'old');
      await workspace.makeLink('link', 'd/target.txt');
      await put(workspace, 'link', 'new');

      same(await get(workspace, 'd/target.txt'), 'new', 'content behind the link');
      same((await workspace.stat('link'))?.kind, 'symlink', 'kind of the link');
    },
  ],
  [
    'rejects with EEXIST when a link would take the place of something',
    async (workspace) => {
      await put(workspace, 'a.txt', 'kept');

      same(await rejection(workspace.makeLink('a.txt', 'b'), 'makeLink'), 'EEXIST', 'makeLink');
      same(await get(workspace, 'a.txt'), 'kept', 'content');
    },
  ],
  [
    'rejects with ELOOP for links in a circle',
    async (workspace) => {
      await workspace.makeLink('one', 'two');
      await workspace.makeLink('two', 'one');

      same(await rejection(workspace.readFile('one'), 'readFile'), 'ELOOP', 'readFile');
      same(await rejection(workspace.resolve('one'), 'resolve'), 'ELOOP', 'resolve');
    },
  ],
];

const removing: readonly WorkspaceCase[] = [
  [
    'removes a file, and a link without what it points to',
    async (workspace) => {
      await put(workspace, 'a.txt', 'kept');
      await put(workspace, 'b.txt', '');
      await workspace.makeLink('link', 'a.txt');
      await workspace.remove('link');
      await workspace.remove('b.txt');

      same(await listed(workspace, '.'), ['a.txt:file'], 'what is left');
    },
  ],
  [
    'removes an empty directory and refuses one that is not',
    async (workspace) => {
      await workspace.makeDirectory('empty/deeper');
      await workspace.remove('empty/deeper');
      await put(workspace, 'full/a.txt', 'kept');

      await workspace.remove('empty');
      same(await rejection(workspace.remove('full'), 'remove'), 'ENOTEMPTY', 'remove');
      same(await get(workspace, 'full/a.txt'), 'kept', 'what is in it');
      same(await listed(workspace, '.'), ['full:directory'], 'what is left');
    },
  ],
  [
    'makes a directory with its parents, and accepts one that is there',
    async (workspace) => {
      await workspace.makeDirectory('a/b');
      await workspace.makeDirectory('a/b');

      same(await listed(workspace, 'a'), ['b:directory'], 'list');
      same(await rejection(put(workspace, 'a/b', ''), 'writeFile'), 'EISDIR', 'writeFile');
    },
  ],
];

/** Cases about files. */
export const fileCases: readonly WorkspaceCase[] = [...resolving, ...writing, ...reading, ...linking, ...removing];
