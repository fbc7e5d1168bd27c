import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kept, place, shell } from './support.ts';

const point = (message: string, role: 'user' | 'assistant' = 'user') => ({ message, role, at: 7 });

describe('what a keeper records', () => {
  it('is known by message: the changes of calls between a point and the next one', () => {
    const { root, file } = place();
    const keeper = kept({ root, file });
    keeper.scan(null);
    keeper.point(point('m1'));
    shell(root, 'echo 1 > a; mkdir d; ln -s a l');
    keeper.scan(['c1']);
    shell(root, 'echo mine > b');
    keeper.scan(null);
    keeper.point(point('m2', 'assistant'));
    shell(root, 'rm a');
    keeper.scan(['c2', 'c3']);

    expect(keeper.recordedPoint('none')).toBe(undefined);
    const [first, second] = [keeper.recordedPoint('m1'), keeper.recordedPoint('m2')];
    expect(first?.changes.map(({ path, calls }) => [path, calls])).toEqual(
      ['a', 'd', 'l'].map((path) => [path, ['c1']]),
    );
    expect(second).toMatchObject({
      role: 'assistant',
      at: 7,
      changes: [{ path: 'a', after: null, calls: ['c2', 'c3'] }],
    });
  });

  it('is in a copy up to a message, and in none for an unknown one', () => {
    const { root, file } = place();
    const keeper = kept({ root, file });
    keeper.scan(null);
    for (const name of ['m1', 'm2', 'm3']) keeper.point(point(name));
    const copies = [`${file}.m2`, `${file}.all`, `${file}.none`] as const;
    keeper.copyTo(copies[0], 'm2');
    keeper.copyTo(copies[1]);
    keeper.copyTo(copies[2], 'unknown');
    keeper.close();

    expect(copies.map((copy) => kept({ root, file: copy }).counts().points)).toEqual([2, 3, 0]);
  });

  it('has the calls at work for who opens it later; a look that none are at work takes them back', () => {
    const { root, file } = place();
    const first = kept({ root, file });
    expect(first.atWork()).toEqual([]);
    first.scan(null, ['c1', 'c2']);
    first.close();

    const second = kept({ root, file });
    expect(second.atWork()).toEqual(['c1', 'c2']);
    second.touch(['a'], null, ['c3']);
    expect(second.atWork()).toEqual(['c3']);
    second.scan(['c3']);
    second.close();
    expect(kept({ root, file }).atWork()).toEqual([]);
  });

  it('leaves out what others write, with the neighbours of a database and all below a directory', () => {
    const { root, file } = place();
    mkdirSync(join(root, 'kept/deep'), { recursive: true });
    for (const name of ['own.db', 'own.db-wal', 'kept/deep/x', 'a']) writeFileSync(join(root, name), '1');
    const keeper = kept({ root, file }, { never: ['own.db', 'kept'] });
    keeper.scan(null);
    shell(root, 'for f in own.db own.db-wal own.db-shm kept/deep/x a; do echo 2 > $f; done');

    expect(keeper.scan(['c']).map(({ path }) => path)).toEqual(['a']);
    expect(keeper.touch(['kept/deep/x', 'own.db'], ['c'])).toEqual([
      { path: 'kept/deep/x', why: 'leaveOut' },
      { path: 'own.db', why: 'leaveOut' },
    ]);
    expect(
      keeper
        .leftOut()
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(['kept', 'own.db', 'own.db-shm', 'own.db-wal']);
  });

  it('asks the rules again about a known path that has become a directory, and about what is new beside it', () => {
    const { root, file } = place();
    writeFileSync(join(root, '.gitignore'), 'out/\n*.log\n');
    writeFileSync(join(root, 'out'), 'a file');
    const keeper = kept({ root, file });
    keeper.scan(null);
    shell(root, 'rm out && mkdir out && echo 1 > out/x && echo 2 > new.log && echo 3 > new.txt');

    expect(keeper.scan(['c']).map(({ path, after }) => [path, after?.kind])).toEqual([
      ['new.txt', 'file'],
      ['out', undefined],
    ]);
    expect(keeper.leftOut()).toEqual(
      expect.arrayContaining([
        { path: 'out', why: 'out/' },
        { path: 'new.log', why: '*.log' },
      ]),
    );
  });

  it('knows names that are not ASCII, as text and as bytes', () => {
    const { root, file } = place();
    const rare = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff])]);
    writeFileSync(join(root, 'straße'), '1');
    writeFileSync(rare, '1');
    const keeper = kept({ root, file });
    keeper.scan(null);
    writeFileSync(join(root, 'straße'), '22');
    writeFileSync(rare, '22');

    const changed = keeper.scan(['c']).map(({ path }) => Buffer.from(path, 'latin1').toString('hex'));
    expect(changed.toSorted()).toEqual([Buffer.from('straße').toString('hex'), '66ff'].toSorted());
  });

  it('has no content of a file that is closed, and finds out when it opens', () => {
    const { root, file } = place();
    writeFileSync(join(root, 'a'), 'x'.repeat(30));
    symlinkSync('a', join(root, 'l'));
    const keeper = kept({ root, file }, { maxFileBytes: 20 });
    keeper.scan(null);
    writeFileSync(join(root, 'a'), 'y'.repeat(30));
    const [grown] = keeper.scan(['c']);
    writeFileSync(join(root, 'a'), 'small');
    const [small] = keeper.scan(['c']);

    expect(grown).toMatchObject({ path: 'a', before: { hash: null, why: 'too_large' }, after: { hash: null } });
    expect(small?.after).toMatchObject({ size: 5, hash: expect.stringMatching(/^[\w-]{43}$/) });
    expect(existsSync(file)).toBe(true);
  });
});
