import type { ToolCall } from '@x/core';
import { describe, expect, it } from 'vitest';
import { commandPlacement } from './command-placement.ts';
import type { LinkedPath } from './policy/linked-out.ts';
import type { SandboxSettings } from './policy/settings.ts';

const bash = (line: string, id = line): ToolCall =>
  ({
    id,
    name: 'Bash',
    input: { line },
    tool: { kind: 'execute', subject: () => ({ type: 'command', line }) },
  }) as never; // the fields it looks at
const reader = (id: string, kind = 'readonly'): ToolCall => ({ id, name: 'Read', input: {}, tool: { kind } }) as never;
const placement = (settings: SandboxSettings, linked: (paths: readonly LinkedPath[]) => readonly string[] = () => []) =>
  commandPlacement(settings, { isContained: ({ name }) => name === 'Bash', linkedOut: linked });
const paths = [{ spelled: '/root/link', resolved: '/out' }];

describe('commandPlacement', () => {
  it('says where a line runs, and stays with it until the call has ended', async () => {
    const one = await placement({ excludedCommands: ['git'], allowUnsandboxedCommands: ['npm'] });

    expect([one.placeOf(bash('git status')), one.placeOf(bash('git status; ls')), one.placeOf(reader('r'))]).toEqual([
      'outside',
      'inside',
      'inside',
    ]);
    expect([one.outsideLine(bash('git status')), one.outsideLine(bash('ls')), one.outsideLine(reader('r'))]).toEqual([
      'git status',
      undefined,
      undefined,
    ]);
    expect(one.outsideLine({ ...bash('git push'), id: 'git status' })).toBeUndefined(); // not judged as this line
    expect(one.ended(bash('git status'), true)).toBe(false);
    expect(one.outsideLine(bash('git status'))).toBeUndefined();
  });

  it('offers a line outside once it has failed inside, and only such a line', async () => {
    const one = await placement({ allowUnsandboxedCommands: ['npm'], autoAllowBashIfSandboxed: true });
    const first = bash('npm test', '1');

    expect(one.placeOf(first)).toBe('auto_allow');
    expect([
      one.ended(first, false),
      one.ended(first, true),
      one.ended(bash('ls'), true),
      one.ended(reader('r'), true),
    ]).toEqual([false, true, false, false]);
    expect(one.placeOf(bash('npm test', '2'))).toBe('outside_if_asked');
    expect(one.placeOf(bash('npm  test', '3'))).toBe('auto_allow');
    expect(one.ended(bash('npm test', '2'), true)).toBe(false);
  });

  it('opens what a reader was judged to read through links, while it runs', async () => {
    const one = await placement({}, () => ['/out']);
    const call = reader('r');

    expect([one.placeOf(call, paths), one.placeOf(reader('w', 'write'), paths)]).toEqual([
      'outside_if_asked',
      'inside',
    ]);
    expect(one.isOpen('/out/x')).toBe(false); // nobody has answered yet
    one.begun(reader('w', 'write'));
    expect(one.isOpen('/out/x')).toBe(false);
    one.begun(call);
    expect([one.isOpen('/out'), one.isOpen('/out/x'), one.isOpen('/outer'), one.isOpen('/')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    one.ended(call, false);
    expect(one.isOpen('/out')).toBe(false);
  });

  it('forgets which lines have failed when there are very many', async () => {
    const one = await placement({ allowUnsandboxedCommands: ['npm *'] });
    for (let at = 0; at <= 1_000; at++) one.ended(bash(`npm ${at}`), true);

    expect([one.placeOf(bash('npm 5', 'x')), one.placeOf(bash('npm 1000', 'y'))]).toEqual([
      'inside',
      'outside_if_asked',
    ]);
  });

  it('forgets the oldest of very many calls that never ended: they run inside', async () => {
    const one = await placement({ excludedCommands: ['git'] });
    for (let at = 0; at <= 1_000; at++) one.placeOf(bash('git status', `call ${at}`));

    expect(one.outsideLine(bash('git status', 'call 0'))).toBeUndefined();
    expect(one.outsideLine(bash('git status', 'call 1000'))).toBe('git status');
  });
});
