/** A number below `limit`, the same row of them for the same seed (mulberry32). */
export type Random = (limit: number) => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)]!;
}

const pieces: readonly string[] = [
  'git',
  'git',
  'git ',
  'git ',
  'curl',
  'x',
  'status',
  'a b',
  '-n',
  '1',
  'A=1',
  '!',
  'time',
  'if',
  'then',
  'fi',
  'do',
  'in',
  ' ',
  ' ',
  ' ',
  ' ',
  '\t',
  '\n',
  ';',
  '&',
  '&&',
  '||',
  '|',
  '|&',
  '(',
  ')',
  '{',
  '}',
  ' { ',
  '; }',
  '$(',
  '${',
  '$((',
  '))',
  "'",
  "'",
  '"',
  '"',
  '\\',
  '\\\n',
  '`',
  '$',
  '#',
  ' #',
  '*',
  '?',
  '[',
  ']',
  '~',
  '=',
  ':',
  '@',
  '^',
  ',',
  '..',
  '%',
  '+',
  '>',
  '<',
  '>&',
  '2>&1',
  '>/dev/null',
  ' </dev/null',
  '<<',
  '<<<',
  'E',
  '\nE\n',
  '<(',
  '>(',
  "$'",
  '$"',
  '\u00a0',
  '\r',
  '\0',
  'é',
];

/** A line of shell words and signs in any order. */
export function randomLine(random: Random, length = 12): string {
  return Array.from({ length: 1 + random(length) }, () => pick(random, pieces)).join('');
}

/** The line with one stretch changed, put in, left out or doubled. */
export function mutated(random: Random, line: string): string {
  const at = random(line.length + 1);
  const end = Math.min(line.length, at + random(4));
  const middle = pick(random, [
    '',
    pick(random, pieces),
    line.slice(at, end) + line.slice(at, end),
    String.fromCharCode(random(256)),
  ]);
  return line.slice(0, at) + middle + line.slice(end);
}

/** Text of random bytes, decoded one way or another. */
export function randomText(random: Random): string {
  const length = random(60);
  const codes = Array.from({ length }, () => (random(4) === 0 ? random(0x1_0000) : random(128)));
  return String.fromCharCode(...codes);
}
