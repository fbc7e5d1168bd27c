import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../tree/entry.ts';
import { applyRewind } from './apply-rewind.ts';
import type { Action } from './plan-rewind.ts';

const file: Entry = { kind: 'file', mode: 0o644, size: 1, hash: 'x' };
const directory: Entry = { kind: 'directory', mode: 0o755 };

async function applied(files: Record<string, string>, actions: readonly Action[], broken: readonly string[] = []) {
  const memory = memoryWorkspace({ cwd: '/w', files });
  const refuse = (path: string) => {
    if (broken.some((name) => path === `/w/${name}`)) throw new Error(`${path} is refused`);
  };
  const failed = await applyRewind(actions, {
    workspace: {
      ...memory,
      async remove(path, options) {
        refuse(path);
        await memory.remove(path, options);
      },
      async writeFile(path, content, options) {
        refuse(path);
        await memory.writeFile(path, content, options);
      },
    },
    read: async () => new TextEncoder().encode('restored'),
    setMode: async () => undefined,
    placeOf: (path) => `/w/${path}`,
  });
  const text = async (path: string) =>
    new TextDecoder().decode(await memory.readFile(`/w/${path}`).catch(() => new Uint8Array()));
  return { failed: [...failed.keys()], text };
}

describe('applyRewind', () => {
  it('does all that can be done when one path cannot, and tells which', async () => {
    const { failed, text } = await applied(
      { a: 'new', b: 'new', c: 'new' },
      [
        { path: 'a', from: file, to: file },
        { path: 'b', from: file, to: file },
        { path: 'c', from: file, to: null },
      ],
      ['a'],
    );

    expect(failed).toEqual(['a']);
    expect([await text('a'), await text('b'), await text('c')]).toEqual(['new', 'restored', '']);
  });

  it('opens a directory that is closed to its user before it works in it, and sets its mode last', async () => {
    const steps: string[] = [];
    const memory = memoryWorkspace({ cwd: '/w', files: { 'd/x': 'new' } });
    const note =
      <A extends unknown[]>(act: (path: string, ...rest: A) => Promise<void>) =>
      async (path: string, ...rest: A) => {
        steps.push(path);
        await act(path, ...rest);
      };
    await applyRewind(
      [
        { path: 'd/x', from: file, to: file },
        { path: 'd', from: { ...directory, mode: 0o555 }, to: directory },
        { path: 'e', from: { ...directory, mode: 0o700 }, to: { ...directory, mode: 0o500 } },
      ],
      {
        workspace: { ...memory, writeFile: note(memory.writeFile) },
        read: async () => new Uint8Array(),
        setMode: async (path, mode) => void steps.push(`${path} ${mode.toString(8)}`),
        placeOf: (path) => `/w/${path}`,
      },
    );

    expect(steps).toEqual(['d 755', '/w/d/x', 'e 500', 'd 755']);
  });

  it('does not go on with a path that could not be cleared', async () => {
    const { failed, text } = await applied(
      { a: 'new' },
      [{ path: 'a', from: { kind: 'symlink', target: 'x' }, to: file }],
      ['a'],
    );

    expect(failed).toEqual(['a']);
    expect(await text('a')).toBe('new');
  });

  it('leaves a directory that holds somebody’s file, and tells of an empty one that cannot go', async () => {
    const gone: Action = { path: 'd', from: directory, to: null };

    expect((await applied({ 'd/own': 'mine' }, [gone], ['d'])).failed).toEqual([]);
    expect((await applied({ 'd/x': 'new' }, [gone, { path: 'd/x', from: file, to: null }], ['d'])).failed).toEqual([
      'd',
    ]);
    expect((await applied({ 'd/own': 'mine' }, [{ ...gone, to: file }], ['d'])).failed).toEqual(['d']);
  });

  it('tells of a directory that stays with what could not be removed', async () => {
    const made: Action = { path: 'd/x', from: file, to: null };
    const actions = [{ path: 'd', from: directory, to: null }, made, { ...made, path: 'dx' }];

    expect((await applied({ 'd/x': 'new', dx: 'new' }, actions, ['d/x', 'd'])).failed).toEqual(['d/x', 'd']);
  });
});
