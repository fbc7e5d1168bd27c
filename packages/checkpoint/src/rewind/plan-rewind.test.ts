import { describe, expect, it } from 'vitest';
import { type Entry, isSame } from '../tree/entry.ts';
import { IN_DOUBT, planRewind, restOf } from './plan-rewind.ts';

const file = (hash: string | null, more: object = {}): Entry => ({ kind: 'file', mode: 0o644, size: 1, hash, ...more });
const states: readonly (Entry | null)[] = [
  null,
  file('1'),
  file('2'),
  file('1', { mode: 0o600 }),
  file('1', { size: 2 }),
  file(null, { stamp: 'a', why: 'too_large' }),
  file(null, { stamp: 'b', why: 'quota' }),
  { kind: 'directory', mode: 0o755 },
  { kind: 'directory', mode: 0o700 },
  { kind: 'symlink', target: 'a' },
  { kind: 'symlink', target: 'b' },
];

describe('isSame', () => {
  it('tells every two states apart, and none from itself', () => {
    for (const one of states) {
      for (const other of states) expect([one, other, isSame(one, other)]).toEqual([one, other, one === other]);
      expect(isSame(one, structuredClone(one))).toBe(true);
    }
  });
});

describe('planRewind', () => {
  const change = (before: Entry | null, after: Entry | null, calls: string[] | null = ['c']) => ({
    path: 'p',
    before,
    after,
    calls,
  });
  const [none, one, two, three] = [null, file('1'), file('2'), file('3')];
  const outcome = (changes: ReturnType<typeof change>[], present: Entry | null, force = false) => {
    const { actions, conflicts, unrestorable } = planRewind(changes, () => present, { force });
    if (unrestorable.length > 0) return `lost: ${unrestorable[0]?.why}`;
    if (conflicts.length > 0) return 'conflict';
    const [action] = actions;
    return action ? [action.from, action.to] : 'nothing';
  };

  it.each<[string, ReturnType<typeof change>[], Entry | null, unknown]>([
    ['one change is taken back', [change(one, two)], two, [two, one]],
    ['what was made goes', [change(none, one)], one, [one, none]],
    ['what was removed comes', [change(one, none)], none, [none, one]],
    ['of several the oldest state counts', [change(one, two), change(two, three)], three, [three, one]],
    ['what is already as it was stays', [change(one, two)], one, 'nothing'],
    ['there and back is nothing', [change(one, two), change(two, one)], one, 'nothing'],
    ['somebody else’s alone is nothing', [change(one, two, null)], two, 'nothing'],
    ['changed afterwards is a conflict', [change(one, two)], three, 'conflict'],
    [
      'changed in between is a conflict',
      [change(one, two), change(two, three, null), change(three, one)],
      one,
      'nothing',
    ],
    ['changed in between, and different, is a conflict', [change(one, two), change(three, two)], two, 'conflict'],
    ['changed before is not', [change(one, two, null), change(two, three)], three, [three, two]],
    ['in doubt is a conflict', [change(one, two, ['c', IN_DOUBT])], two, 'conflict'],
    ['a content that was not kept is lost', [change(states[5]!, two)], two, 'lost: too_large'],
    ['another one, too', [change(file(null), two)], two, 'lost: too_large'],
  ])('%s', (_, changes, present, expected) => {
    expect(outcome(changes, present)).toEqual(expected);
  });

  it('restores conflicts with force, but not what is lost', () => {
    expect(outcome([change(one, two)], three, true)).toEqual([three, one]);
    expect(outcome([change(one, two, ['c', IN_DOUBT])], two, true)).toEqual([two, one]);
    expect(outcome([change(states[6]!, two)], three, true)).toBe('lost: quota');
  });
});

describe('a file whose present content is not kept', () => {
  const large = file(null, { stamp: 'a', why: 'too_large' });
  const closed = file(null, { stamp: 'c', why: 'unreadable' });
  const lost = (present: Readonly<Record<string, Entry | null>>, before: Entry | null, older = false) => {
    const changes = Object.entries(present).map(([path, after]) => {
      return { path, before: path === 'removed' ? large : before, after, calls: ['c'] };
    });
    const options = { force: true, isOlder: (path: string) => older && path === 'made' };
    const { actions, unrestorable } = planRewind(changes, (path) => present[path] ?? null, options);
    return { taken: actions.map(({ path }) => path), stay: unrestorable.map(({ path, why }) => `${path} ${why}`) };
  };

  it('goes when a call has made it, and stays when it is older', () => {
    expect(lost({ made: large }, null)).toEqual({ taken: ['made'], stay: [] });
    expect(lost({ made: large, other: large }, null, true)).toEqual({ taken: ['other'], stay: ['made present'] });
    expect(lost({ made: large }, file('1'), true)).toEqual({ taken: ['made'], stay: [] }); // written to, where it was
  });

  it('stays when a call has removed one: it may be the same', () => {
    const present = { made: large, small: file('1'), removed: null };
    expect(lost(present, null)).toEqual({ taken: ['small'], stay: ['removed too_large', 'made present'] });
    expect(lost(present, file('2'))).toMatchObject({ stay: ['removed too_large', 'made present'] });
    expect(lost({ made: large, removed: large }, null)).toEqual({ taken: ['made'], stay: [] });
  });

  it('gets its content back when it was only closed', () => {
    expect(lost({ made: closed }, file('1'), true)).toEqual({ taken: ['made'], stay: [] });
    expect(lost({ made: closed }, null, true)).toEqual({ taken: [], stay: ['made present'] });
  });
});

describe('an action that was cut off', () => {
  const link: Entry = { kind: 'symlink', target: 'a' };
  const folder: Entry = { kind: 'directory', mode: 0o755 };
  const bare: Entry = { kind: 'directory', mode: 0o700 };

  it.each<[string, Entry | null, Entry | null, Entry | null, boolean]>([
    ['is done', file('1'), file('2'), file('2'), false],
    ['has not begun', file('1'), file('2'), file('1'), true],
    ['is somebody else’s by now', file('1'), file('2'), file('3'), false],
    ['has taken the old kind away', folder, file('2'), null, true],
    ['has taken the old link away', link, { ...link, target: 'b' }, null, true],
    ['had a file, which is never away', file('1'), file('2'), null, false],
    ['has made a directory, not its mode', null, folder, bare, true],
    ['has opened a closed directory', { ...folder, mode: 0o055 }, { ...folder, mode: 0o711 }, folder, true],
    ['has opened a directory that is to go', { ...folder, mode: 0o555 }, null, folder, true],
    ['had a directory, whose mode is another’s', folder, { ...folder, mode: 0o711 }, bare, false],
    ['was to remove', file('1'), null, file('3'), false],
  ])('%s', (_, from, to, present, isLeft) => {
    expect(restOf({ path: 'p', from, to }, present)).toEqual(isLeft ? { path: 'p', from: present, to } : undefined);
  });
});
