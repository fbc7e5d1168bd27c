import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../test/has-bubblewrap.ts';
import { createSandbox } from './create-sandbox.ts';
import { findProgram } from './drivers/bubblewrap/find-program.ts';

let place = '';
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'places-')));
});
afterEach(() => rmSync(place, { recursive: true }));

/** Bytes that are no UTF-8, in a directory of the place. */
const OF_BYTES = Buffer.concat([Buffer.from('/b'), Buffer.from([0xff, 0xfe]), Buffer.from('d')]);

describe.skipIf(!hasBubblewrap)(`places of a sandbox${NEEDS_BUBBLEWRAP}`, () => {
  it.each([
    ['spaces', 'a  b c'],
    ['signs of patterns', '[x]*?{a,b}!'],
    ['signs of the shell', `$HOME 'x' "y" \`z\` ;&|<> #`],
    ['backslashes and a line break', 'a\\040b\nc'],
    ['a leading -', '--bind'],
    ['other alphabets, composed and not', 'é e\u0301 漢字 \u202e'],
    ['parts of 200 characters', ['x', 'y', 'z'].map((letter) => letter.repeat(200)).join('/')],
  ])('covers a cwd with %s, and that path only (ZS23)', async (_, name) => {
    const cwd = join(place, name);
    // What a pattern, a cut or a split name would hit.
    const neighbours = ['a', 'xa', '[x]a', 'x'.repeat(199), 'a b', 'neighbour'].map((one) => join(place, one));
    for (const one of [...neighbours, cwd]) mkdirSync(one, { recursive: true });
    await using box = await createSandbox({ cwd });

    const lines = neighbours.map((one) => `echo x > ${quoted(join(one, 'file'))}`);
    const { stdout } = await box.run(`echo own > file; mkdir -p .git/hooks; pwd; ${lines.join('; ')}`);

    expect(stdout).toBe(`${cwd}\n`);
    expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('own\n');
    expect(neighbours.flatMap((one) => readdirSync(one))).toEqual([]);
    expect(existsSync(join(cwd, '.git/hooks'))).toBe(false);
    await box.close();
    expect(readdirSync(cwd).filter((one) => one.startsWith('.'))).toEqual([]);
  });

  it('refuses a cwd whose name is no text, for it would be another one (ZS23)', async () => {
    const bytes = Buffer.concat([Buffer.from(place), OF_BYTES]);
    mkdirSync(bytes);
    mkdirSync(bytes.toString()); // the name with U+FFFD is another directory
    writeFileSync(Buffer.concat([bytes, Buffer.from('/file')]), 'x');

    for (const cwd of [
      `${place}/b\udcff\udcfed`,
      Buffer.concat([Buffer.from(place), Buffer.from('/b\udcff')]).toString(),
    ]) {
      await expect(createSandbox({ cwd })).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'cwd' });
    }
    await using other = await createSandbox({ cwd: bytes.toString() });
    expect((await other.run('ls')).stdout).toBe('');
  });

  it.each(['own', 'shown'])('runs nothing once a link is in the place of its directory %s (B25)', async (name) => {
    for (const one of ['own', 'shown', 'neighbour']) mkdirSync(join(place, one));
    const filesystem = { allowRead: [join(place, 'shown')] };
    await using box = await createSandbox({ cwd: join(place, 'own'), filesystem });
    rmdirSync(join(place, name));
    symlinkSync('neighbour', join(place, name));

    const run = box.run('echo x > file');

    await expect(run).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('by now'),
    });
    expect(readdirSync(join(place, 'neighbour'))).toEqual([]);
  });

  it('hides a directory in which something else is protected (B01)', async () => {
    mkdirSync(join(place, '.git/hooks'), { recursive: true });
    writeFileSync(join(place, '.git/config'), 'a key');
    await using box = await createSandbox({ cwd: place, filesystem: { denyRead: ['.git'] } });

    const { stdout } = await box.run('ls -A .git; cat .git/config; echo x > .git/hooks/pre-commit; rm -r .git');

    expect(stdout).toBe('');
    expect([readdirSync(join(place, '.git')).sort(), readdirSync(join(place, '.git/hooks'))]).toEqual([
      ['config', 'hooks'],
      [],
    ]);
  });

  it('keeps hidden what the settings hide when a command moves the directories around it (B01)', async () => {
    mkdirSync(join(place, 'a/b'), { recursive: true });
    writeFileSync(join(place, 'a/b/key'), 'a key');
    await using box = await createSandbox({ cwd: place, filesystem: { denyRead: ['a/b/key'] } });

    await box.run('mv a/b a/c; mv a d; cp -r a copy');
    const { stdout } = await box.run('cat */key */*/key');

    expect(stdout).toBe('');
    expect(readFileSync(join(place, 'a/b/key'), 'utf8')).toBe('a key');
  });

  it('ends a command before it begins when a mount shows another place (B25)', async () => {
    // Stands in for a link that another command swaps in while the wall is built: bwrap is given where that leads.
    const [own, secret, swapped, bin] = ['own', 'secret', 'swapped', 'bin'].map((name) => join(place, name));
    for (const one of [own!, bin!]) mkdirSync(one);
    for (const one of [secret!, join(own!, '.npmrc')]) writeFileSync(one, 'a key');
    const script = `words=("$@"); [ -e ${swapped} ] && for ((at = 1; at < $#; at++)); do
      [ "\${words[at-1]} \${words[at]}" = "--ro-bind ${own}/.npmrc" ] && words[at]=${secret}; done
      exec ${findProgram('bwrap', [])} "\${words[@]}"`;
    writeFileSync(join(bin!, 'bwrap'), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    const path = process.env['PATH'];
    process.env['PATH'] = `${bin}:${path}`;
    await using box = await createSandbox({ cwd: own! }).finally(() => (process.env['PATH'] = path));

    expect((await box.run('cat .npmrc')).stdout).toBe('a key');
    writeFileSync(swapped!, '');
    const pieces: string[] = [];
    const run = box.run('cat .npmrc', { onOutput: ({ channel, text }) => pieces.push(`${channel}: ${text}`) });

    await expect(run).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(pieces.join('')).not.toContain('a key');
  });

  it('works over directories whose names are no text (ZS23)', async () => {
    mkdirSync(Buffer.concat([Buffer.from(place), OF_BYTES]));
    await using box = await createSandbox({ cwd: place });

    const { exitCode, stdout } = await box.run(`cd b*d && echo x > file && cat file`);

    expect([exitCode, stdout]).toEqual([0, 'x\n']);
  });

  it.each(['..', '../neighbour', '/', '/tmp', 'missing', 'file', 'link', 'circle'])(
    'refuses %s as the working directory of a command (ZS18)',
    async (cwd) => {
      for (const name of ['own', 'neighbour']) mkdirSync(join(place, name));
      await using box = await createSandbox({ cwd: join(place, 'own') });
      await box.run('ln -s ../neighbour link; ln -s circle circle; echo > file; mkdir sub; ln -s sub inner');

      const run = box.run('echo x > file', { cwd });

      await expect(run).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'cwd' });
      expect(readdirSync(join(place, 'neighbour'))).toEqual([]);
      expect((await box.run('pwd', { cwd: 'inner' })).stdout).toBe(`${join(place, 'own/sub')}\n`);
    },
  );
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
