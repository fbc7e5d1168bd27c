import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { kept, place, shell } from './support.ts';

const point = (message: string) => ({ message, role: 'user', at: 0 }) as const;

describe('Keeper', () => {
  it('tells whose each change is, in order', () => {
    const { root, file } = place();
    writeFileSync(join(root, 'a'), '1');
    const keeper = kept({ root, file });
    expect(keeper.scan(null)).toEqual([]);
    expect(keeper.scan(['c'])).toEqual([]);

    shell(root, 'echo -n 2 > a; mkdir d; ln -s a d/l');
    const changes = keeper.scan(['c']);
    rmSync(join(root, 'd'), { recursive: true });
    const later = keeper.scan(null);

    expect(changes).toMatchObject([
      { path: 'a', before: { kind: 'file', size: 1 }, after: { kind: 'file', size: 1 }, calls: ['c'] },
      { path: 'd', before: null, after: { kind: 'directory' } },
      { path: 'd/l', after: { kind: 'symlink', target: 'a' } },
    ]);
    expect(later.map(({ path, after, calls }) => [path, after, calls])).toEqual([
      ['d', null, null],
      ['d/l', null, null],
    ]);
    keeper.point(point('m'));
    expect(keeper.counts()).toEqual({ points: 1, paths: 3, pending: 0 });
  });

  it('looks at single paths without the others', () => {
    const { root, file } = place();
    shell(root, 'echo 1 > a; echo 1 > b; mkfifo p; echo node_modules > x');
    const keeper = kept({ root, file });
    expect(keeper.touch(['a'], null)).toEqual([]); // nothing is known yet
    keeper.scan(null);
    keeper.point(point('m'));
    shell(root, 'rm a; echo 2 > b; mkdir -p node_modules');

    const leftOut = keeper.touch(['a', 'p', 'none', 'node_modules'], ['c']);

    expect(leftOut).toEqual([{ path: 'node_modules', why: 'node_modules/' }]);
    expect(keeper.plan({ message: 'm', force: false })?.actions.map(({ path }) => path)).toEqual(['a']);
    keeper.scan(['d']);
    expect(keeper.plan({ message: 'm', call: 'd', force: false })?.actions.map(({ path }) => path)).toEqual(['b']);
    expect(keeper.plan({ message: 'm', paths: ['a'], force: false })?.actions).toHaveLength(1);
    expect(keeper.plan({ message: 'm', paths: [''], force: false })?.actions).toHaveLength(2);
    expect(keeper.plan({ message: 'unknown', force: false })).toBeUndefined();
    shell(root, 'rm b; mkfifo b');
    keeper.touch(['b'], ['e']);
    expect(keeper.plan({ message: 'm', call: 'e', force: false })?.actions).toMatchObject([{ path: 'b', from: null }]);
  });

  it('knows after a new start what it knew, and completes a rewind that was cut off (F15)', () => {
    const { root, file } = place();
    shell(root, 'echo 1 > a; echo 1 > b; echo 1 > c');
    const first = kept({ root, file });
    first.scan(null);
    first.point(point('m'));
    shell(root, 'echo 2 > a; echo 2 > b; echo 2 > c; mkdir d; echo 2 > d/x');
    first.scan(['call']);
    const { actions } = first.plan({ message: 'm', force: false })!;
    first.begin('r', actions, 0);
    shell(root, 'echo 1 > a; rm -r d; echo mine > c'); // cut off here; the user has changed c meanwhile
    first.close();

    const keeper = kept({ root, file });
    const left = keeper.unfinished();

    expect(left).toMatchObject({ id: 'r', actions: [{ path: 'b' }] });
    shell(root, 'echo 1 > b');
    keeper.finish('r', left?.actions ?? []);
    expect(keeper.unfinished()).toBeUndefined();
    const again = keeper.plan({ message: 'r', force: false });
    expect(again?.actions.map(({ path }) => path).toSorted()).toEqual(['a', 'b', 'd', 'd/x']);
    expect(again?.conflicts).toEqual([]);
    expect(
      Buffer.from(keeper.read((again?.actions[0]?.to as { hash?: string } | undefined)?.hash ?? '')).toString(),
    ).toBe('2\n');
    expect(() => keeper.read('none')).toThrow('lost a content');
  });

  it('sets the mode of a directory itself, and of nothing that a link leads to', () => {
    const { root, file } = place();
    shell(root, 'mkdir -p d/e ../outside/e; chmod 755 d ../outside/e; ln -s ../outside l');
    const keeper = kept({ root, file });

    keeper.setMode('d', 0o700);
    expect(() => keeper.setMode('l', 0o700)).toThrow(/ELOOP|ENOTDIR/);
    expect(() => keeper.setMode('l/e', 0o700)).toThrow('a link leads elsewhere');

    expect(picture(root)).toMatchObject({ d: 'directory 700' });
    expect(picture(join(root, '../outside'))).toEqual({ e: 'directory 755' });
  });

  it('forgets nothing below a directory that it cannot read', () => {
    const { root, file } = place();
    shell(root, 'mkdir d; echo 1 > d/x');
    const keeper = kept({ root, file });
    keeper.scan(null);
    keeper.point(point('m'));
    shell(root, 'chmod 0 d');

    const changes = keeper.scan(['c']);
    shell(root, 'chmod 755 d');

    expect(changes.map(({ path }) => path)).toEqual(['d']);
    expect(keeper.scan(['c']).map(({ path }) => path)).toEqual(['d']);
  });

  it('keeps contents up to its limits, and counts its files', () => {
    const { root, file } = place();
    const keeper = kept({ root, file }, { maxFileBytes: 5, maxTotalBytes: 8, maxFiles: 4 });
    shell(root, 'printf 12345 > a; printf 1234 > b; printf 123456 > c');
    keeper.scan(null);
    shell(root, 'printf 1 > a; printf 1 > b; printf 1 > c');
    const changes = keeper.scan(['c']);

    expect(changes.map(({ before }) => (before?.kind === 'file' ? (before.why ?? 'kept') : '')).toSorted()).toEqual([
      'kept',
      'quota',
      'too_large',
    ]);
    shell(root, 'touch 1 2 3');
    expect(() => keeper.scan(null)).toThrow('more than 4 files');
    shell(root, 'rm 2 3');
    expect(keeper.scan(null)).toHaveLength(1);
    rmSync(root, { recursive: true });
    symlinkSync(join(root, '..'), root);
    writeFileSync(join(root, '..', 'elsewhere'), '');
    expect(() => keeper.scan(null)).toThrow('more than');
  });

  it('records the end of a rewind before its next look, when it could not do so at once', () => {
    for (const again of ['scan', 'touch'] as const) {
      const { root, file } = place();
      writeFileSync(join(root, 'a'), '1');
      const keeper = kept({ root, file });
      keeper.scan(null);
      keeper.point(point('m'));
      keeper.begin('r', [], 0);
      shell(root, 'mv $PWD $PWD.away');
      expect(() => keeper.finish('r', [])).toThrow(root);
      shell('/', `mv ${root}.away ${root}`);

      if (again === 'scan') keeper.scan(null);
      else keeper.touch(['a'], null);

      expect(keeper.unfinished()).toBeUndefined();
      keeper.close();
    }
  });

  it('copies itself into one file, which is of this user alone', () => {
    const { root, file } = place();
    writeFileSync(join(root, 'a'), '1');
    const keeper = kept({ root, file });
    keeper.scan(null);
    keeper.point(point('m'));
    keeper.copyTo(`${file}'s copy`);

    expect(kept({ root, file: `${file}'s copy` }).counts().points).toBe(1);
    expect(() => kept({ root: '/tmp', file: `${file}'s copy` })).toThrow('Another process');
    keeper.close();
    expect(() => kept({ root: '/tmp', file })).toThrow(`are about ${root}, not about /tmp`);
  });
});
