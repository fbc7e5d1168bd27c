import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

const START = `
  mkdir -p sub/deep empty; printf 'one\\ntwo\\n' > a.txt; printf 'b' > sub/b.bin; echo 'echo hi' > run.sh; chmod 755 run.sh
  printf '\\xff\\xfe\\x00\\r\\n' > latin1; : > nothing; ln -s a.txt link; chmod 640 sub/b.bin; chmod 750 sub/deep; echo x > sub/deep/x; printf '\\xef\\xbb\\xbfa\\r\\nb' > bom`;

const GIT = 'git -c user.email=a@b -c user.name=a -c init.defaultBranch=main';

describe('rewind', () => {
  it.each([
    ['an edit in place', 'sed -i s/one/ONE/ a.txt'],
    ['a removed file, and a removed directory', 'rm a.txt; rm -r sub'],
    ['a moved file, and a moved directory', 'mv a.txt z.txt; mv sub other'],
    ['a copy over a file', 'cp -p run.sh a.txt'],
    [
      'an edit of the same size with the old time put back',
      'cp -p a.txt /tmp/$$.t; printf "ONE\\ntwo\\n" > a.txt; touch -r /tmp/$$.t a.txt; rm /tmp/$$.t',
    ],
    ['new files and directories', 'mkdir -p new/er; echo x > new/er/x; ln -s x new/er/l; echo y > .hidden'],
    ['modes alone', 'chmod 600 run.sh; chmod 777 sub; chmod 444 a.txt'],
    ['a link that leads elsewhere', 'ln -sfn run.sh link'],
    ['a link that became a file, and a file a link', 'rm link a.txt; echo f > link; ln -s run.sh a.txt'],
    [
      'a file that became a directory, and a directory a file',
      'rm -r a.txt sub; mkdir a.txt; echo x > a.txt/x; echo y > sub',
    ],
    ['content to nothing, and nothing to content', ': > a.txt; echo full > nothing; : > latin1'],
    ['bytes that no editor keeps', "printf '\\x00' >> sub/b.bin; sed -i 's/\\r//' bom latin1; echo >> nothing"],
    [
      'names of every kind',
      "echo 1 > -dash; echo 2 > $'new\\nline'; echo 3 > $'\\xff\\xfe'; mv a.txt $'a\\xff'; mkdir ' '; echo 4 > ' /['",
    ],
    ['an unpacked archive', 'mkdir -p p/{0..6}; for i in {1..300}; do echo $i > p/$((i % 7))/$i; done'],
    [
      'what git has stashed',
      `${GIT} init -q; ${GIT} add -A; ${GIT} commit -qm 1; echo more >> a.txt; ${GIT} rm -qf run.sh; ${GIT} stash -q; echo again > a.txt`,
    ],
    [
      'a git checkout of another branch',
      `${GIT} init -q; ${GIT} add -A; ${GIT} commit -qm 1; ${GIT} checkout -qb x; ${GIT} rm -q run.sh; ${GIT} commit -qm 2`,
    ],
  ])('takes %s back, to the byte (F03, F26, ZC02, ZC03, ZC04)', async (_, line) => {
    const { root, file } = place();
    shell(root, START);
    const before = picture(root);
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => shell(root, line));
    const changed = without(picture(root), '.git');
    await checkpointer.checkpoint('m2');

    const told = await checkpointer.rewind('m1', { dryRun: true });
    expect(without(picture(root), '.git')).toEqual(changed);
    const result = await checkpointer.rewind('m1');

    expect(result.errors).toEqual([]);
    expect(without(picture(root), '.git')).toEqual(before);
    expect({ ...told, rewindId: result.rewindId, dryRun: false }).toEqual(result);
    const again = await checkpointer.rewind(result.rewindId ?? '');
    expect(again.errors).toEqual([]);
    expect(without(picture(root), '.git')).toEqual(changed);
  });

  // Only an ordinary user is kept out: root needs no permission.
  it.each([
    ['what is missing in one', 'rm sub/deep/x; chmod 555 sub/deep'],
    ['one with all that a call has made', 'mkdir c; echo > c/x; chmod 555 c'],
    ['one that nobody may look into', 'chmod 0 sub'],
  ])('opens directories that a call has closed to its own user: %s', async (_, line) => {
    const { root, file } = place();
    shell(root, START);
    const before = picture(root);
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => shell(root, line));

    expect(await checkpointer.rewind('m1')).toMatchObject({ success: true, errors: [] });
    expect(picture(root)).toEqual(before);
  });
});

function without(pictured: Record<string, string>, top: string): Record<string, string> {
  return Object.fromEntries(Object.entries(pictured).filter(([path]) => path !== top && !path.startsWith(`${top}/`)));
}
