import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CanUseTool } from '@x/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../support/has-bubblewrap.ts';
import { bash, ran, write } from '../support/sandboxed.ts';

let folder = '';
let outside = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandboxed-')));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')));
  mkdirSync(join(outside, 'data/hidden'), { recursive: true });
  for (const name of ['data/note.txt', 'data/hidden/key']) writeFileSync(join(outside, name), `${name} of outside`);
  symlinkSync(join(outside, 'data'), join(folder, 'data'));
});
afterEach(() => {
  for (const one of [folder, outside]) rmSync(one, { recursive: true });
});

const read = (path: string) => ({ name: 'Read', input: { file_path: path } });
const grep = (path: string) => ({ name: 'Grep', input: { pattern: 'of outside', path, output_mode: 'content' } });

/** Plays the calls; `asked` are the facts of the questions, all of which are answered alike. */
async function played(calls: readonly object[], behavior: 'allow' | 'deny', settings = {}) {
  const asked: unknown[] = [];
  const canUseTool: CanUseTool = async (name, _, { reason, unsandboxed, resolvedPaths }) => {
    asked.push({ name, reason, unsandboxed, resolvedPaths });
    return behavior === 'allow' ? { behavior } : { behavior, message: 'no' };
  };
  const allowedTools = ['Bash', 'Read', 'Write', 'Grep'];
  const { outputs, failed } = await ran(folder, calls, settings, { canUseTool, allowedTools });
  return { asked, outputs, failed };
}

describe.skipIf(!hasBubblewrap)(`links out of the sandbox (B25)${NEEDS_BUBBLEWRAP}`, () => {
  it('reading through one of the user’s is a question in every mode, which names the place', async () => {
    const allowed = await played([read('data/note.txt')], 'allow');
    const denied = await played([read('data/note.txt')], 'deny');
    const unanswered = await ran(folder, [read('data/note.txt')], {}, { autoApprove: ['Read'] });

    const place = join(outside, 'data/note.txt');
    const question = { name: 'Read', unsandboxed: true, resolvedPaths: [place] };
    expect(allowed.asked).toEqual([{ ...question, reason: `a link leads out of the sandbox, to ${place}` }]);
    expect(allowed.outputs[0]).toContain('note.txt of outside');
    expect([denied.asked.length, denied.failed, unanswered.failed]).toEqual([1, [true], [true]]);
  });

  it('the answer is for this call: the same place by its own path stays closed', async () => {
    const { asked, outputs, failed } = await played([grep('data'), read(join(outside, 'data/note.txt'))], 'allow');

    expect(outputs[0]).toContain('note.txt of outside');
    expect([asked.length, failed]).toEqual([1, [false, true]]);
  });

  it('all files behind one are searched, although no command can see them', async () => {
    for (let index = 0; index < 100; index++) writeFileSync(join(outside, `data/${index}.txt`), `${index} of outside`);

    const { outputs } = await played([grep('data')], 'allow');

    expect(outputs[0]?.split('\n')).toHaveLength(102);
  });

  it('what the settings hide is not read through it either', async () => {
    const settings = { filesystem: { denyRead: [join(outside, 'data/hidden')] } };

    const direct = await played([read('data/hidden/key')], 'allow', settings);
    const below = await played([grep('data')], 'allow', settings);

    expect([direct.asked, direct.failed]).toEqual([[], [true]]);
    expect(below.outputs[0]).not.toContain('key of outside');
  });

  it.each([
    ['made by a command', `ln -s OUTSIDE/data own`, 'own/note.txt'],
    [
      'made by a command, with a time of long ago',
      `ln -s OUTSIDE/data own; touch -h -d 2001-01-01 own`,
      'own/note.txt',
    ],
    ['the user’s, moved', `mv data own`, 'own/note.txt'],
    ['the user’s, which leads to one made by a command', `rm -rf inner; ln -s OUTSIDE/data inner`, 'link/note.txt'],
  ])('one that is %s is refused', async (_, line, path) => {
    mkdirSync(join(folder, 'inner'));
    symlinkSync('inner', join(folder, 'link'));

    const { asked, failed, outputs } = await played([bash(line.replace('OUTSIDE', outside)), read(path)], 'allow');

    expect([asked, failed]).toEqual([[], [false, true]]);
    expect(outputs[1]).toContain('outside of the sandbox');
  });

  it('nothing is written through one', async () => {
    const { failed } = await played([write('data/note.txt'), write('data/new.txt')], 'allow');

    expect(failed).toEqual([true, true]);
    expect(readFileSync(join(outside, 'data/note.txt'), 'utf8')).toBe('data/note.txt of outside');
  });
});
