import { test } from '@fast-check/vitest';
import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { isCovered } from './is-covered.ts';
import { mentions } from './mentions.ts';
import { parseCommandLine } from './parse.ts';

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
const doubleQuoted = (word: string): string => `"${word.replaceAll(/[$`"\\]/g, '\\$&')}"`;
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((word) => word.replaceAll('\0', ''));
const words = fc.array(text, { maxLength: 6 }).map((rest) => ['tool', ...rest]);
const operator = fc.constantFrom(';', '&&', '||', '|', '|&', '\n', ' ;\n', ' # it is said\n');
const tool = parseCommandPattern('tool *');
const make = parseCommandPattern('make *');

describe('parseCommandLine', () => {
  test.prop([words])('gets back the words that were quoted', (given) => {
    const line = parseCommandLine(given.map(quoted).join(' '));

    expect(line.simple).toBe(true);
    expect(line.commands).toEqual([{ words: given }]);
  });
});

describe('isCovered and mentions', () => {
  test.prop([words])('know a command by the pattern that spells it', (given) => {
    const spelled = given.map(quoted).join(' ');

    expect(isCovered(parseCommandLine(spelled), [parseCommandPattern(spelled)])).toBe(true);
    expect(mentions(parseCommandLine(spelled), parseCommandPattern(spelled))).toBe('yes');
  });

  test.prop([words])('read double quotes as a shell does', (given) => {
    const spelled = given.map(doubleQuoted).join(' ');
    const line = parseCommandLine(spelled);

    expect(line.commands).toEqual([{ words: given }]);
    expect(isCovered(line, [parseCommandPattern(spelled)])).toBe(true);
    expect(isCovered(parseCommandLine(`${spelled} more`), [parseCommandPattern(spelled)])).toBe(false);
  });

  test.prop([fc.array(fc.tuple(words, operator), { minLength: 1, maxLength: 5 }), fc.nat()])(
    'find one other command among many, wherever it stands',
    (given, at) => {
      const commands = given.map(([each, joint]) => `${each.map(quoted).join(' ')} ${joint} `);
      const place = at % (commands.length + 1);
      const only = parseCommandLine([...commands, 'tool'].join(''));
      const line = parseCommandLine(
        [...commands.slice(0, place), 'make ; ', ...commands.slice(place), 'tool'].join(''),
      );

      expect([isCovered(only, [tool]), mentions(only, make)]).toEqual([true, 'no']);
      expect([isCovered(line, [tool]), mentions(line, make)]).toEqual([false, 'yes']);
      expect(isCovered(line, [tool, make])).toBe(true);
    },
  );

  test.prop([fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })])('never throw', (line, other) => {
    const parsed = parseCommandLine(line + other);

    expect(typeof isCovered(parsed, [tool])).toBe('boolean');
    expect(['yes', 'no', 'unknown']).toContain(mentions(parsed, make));
    expect(parsed.simple && parsed.unknown.length > 0).toBe(false);
  });

  const piece = fc.constantFrom('rm', 'git', 'push', '-rf', '--force', 'x', 'a.ts', '/', 'rmdir');
  const patternPiece = fc.constantFrom(
    'rm',
    'git',
    'push',
    '-rf',
    '--force',
    'x',
    '*',
    '**',
    '*.ts',
    'rm*',
    '*push*',
    'test:*',
  );
  const program = fc.constantFrom('rm', 'git', 'x', '*', '**', '*push*', 'rm*');
  const end = fc.constantFrom('', ' *', '*', ':*', ' **');

  test.prop([program, fc.array(patternPiece, { maxLength: 2 }), end, fc.array(piece, { minLength: 1, maxLength: 4 })], {
    numRuns: 3_000,
  })('forbid by a text what the same text allows, and what has further words', (first, given, last, line) => {
    const pattern = parseCommandPattern([first, ...given].join(' ') + last);
    const parsed = parseCommandLine(line.join(' '));
    const isForbidden = mentions(parsed, pattern) === 'yes';

    expect(isForbidden || !isCovered(parsed, [pattern])).toBe(true);
    expect(isForbidden && mentions(parseCommandLine([...line, 'more', '-z'].join(' ')), pattern) !== 'yes').toBe(false);
  });
});
