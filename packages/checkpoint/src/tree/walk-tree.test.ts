import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Scope } from './scope.ts';
import { readContent, walkTree } from './walk-tree.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'walk-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const shell = (line: string) => execFileSync('/bin/bash', ['-c', line], { cwd: root });
function walked(scope = new Scope()) {
  const leftOut: string[] = [];
  const paths = [...walkTree(root, scope, ({ path, why }) => leftOut.push(`${path}: ${why}`))].map(({ path }) => path);
  return { paths: paths.toSorted(), leftOut: leftOut.toSorted() };
}

describe('walkTree', () => {
  it('comes to files, directories and links, and follows none', () => {
    shell('mkdir -p a/b; echo > a/b/c; ln -s .. a/up; ln -s nowhere l; mkfifo p');

    expect(walked()).toEqual({ paths: ['a', 'a/b', 'a/b/c', 'a/up', 'l'], leftOut: ['p: special file'] });
  });

  it('obeys the rules of every directory as of the first walk, an inner one before an outer', () => {
    shell(`mkdir -p in/deep; printf '*.o\\n/only\\n!keep.o\\n' > .gitignore; printf '!x.o\\n' > in/.gitignore
      touch a.o keep.o only in/x.o in/y.o in/only in/deep/z.o; mkdir in/dir.gitignore; mkdir in/deep/.gitignore`);
    const scope = new Scope();
    const first = walked(scope);
    writeFileSync(join(root, '.gitignore'), 'in');

    expect(first.leftOut).toEqual(['a.o: *.o', 'in/deep/z.o: *.o', 'in/y.o: *.o', 'only: /only']);
    expect(first.paths).toContain('in/x.o');
    expect(walked(new Scope([], scope.texts))).toEqual(first);
    expect(walked(new Scope()).paths).toEqual(['.gitignore', 'a.o', 'keep.o', 'only']);
  });

  it.each([
    ['removed', 'rm -r d', []],
    ['replaced by a file', 'rm -r d; touch d', []],
    ['replaced by a circle of links', 'rm -r d; ln -s d d', ['d: unreadable (ELOOP)']],
  ])('goes on when a directory is %s on the way', (_, line, told) => {
    shell('mkdir d; touch d/x');
    const leftOut: string[] = [];
    const walk = walkTree(root, new Scope(), ({ path, why }) => leftOut.push(`${path}: ${why}`));

    expect(walk.next().value).toMatchObject({ path: 'd' });
    shell(line);
    expect([...walk]).toEqual([]);
    expect(leftOut).toEqual(told);
  });

  it('tells of paths that are too long for the system (ZC07)', () => {
    const name = 'd'.repeat(200);
    shell(`for i in $(seq 25); do mkdir ${name}; cd ${name}; done; touch x`);

    const { paths, leftOut } = walked();

    expect(paths.length).toBeGreaterThan(15);
    expect(leftOut).toEqual([expect.stringMatching(/^d.*: unreadable \(ENAMETOOLONG\)$/)]);
    shell('rm -rf d*');
  });

  it('says so when the root is no directory any more', () => {
    rmSync(root, { recursive: true });
    expect(() => walked()).toThrow('cannot be read');
    writeFileSync(root, '');
    expect(() => walked()).toThrow('cannot be read');
  });
});

describe('readContent', () => {
  it('reads regular files up to the limit, and nothing else', () => {
    shell('printf 12345 > a; ln -s a l; mkfifo p; mkdir d');
    const read = (name: string, most = 5) => {
      const content = readContent(Buffer.from(join(root, name)), most);
      return typeof content === 'string' ? content : Buffer.from(content).toString();
    };

    expect([read('a'), read('a', 4), read('l'), read('p'), read('d'), read('none')]).toEqual([
      '12345',
      'too_large',
      'unreadable',
      'unreadable',
      'unreadable',
      'unreadable',
    ]);
  });

  it.skipIf(process.platform !== 'linux')('reads a file to its end that says it is empty (Linux: below /proc)', () => {
    const content = readContent(Buffer.from('/proc/self/status'), 100_000);

    expect(Buffer.from(content).toString()).toContain('Name:');
    expect(readContent(Buffer.from('/proc/self/status'), 50)).toBe('too_large');
  });
});
