/** Letters of well-known programs' long options, and equivalent letters. */
const letters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rm: { '--recursive': 'r', '--force': 'f', R: 'r' },
  cp: { '--recursive': 'r', '--force': 'f', R: 'r' },
  chmod: { '--recursive': 'R' },
  chown: { '--recursive': 'R' },
  git: { '--force': 'f', '--delete': 'd', '--no-verify': 'n' },
  npm: { '--global': 'g' },
};

/** The letters of `-rf`, or of `--force` for a known program, possibly shortened; empty for another word. */
export function optionLetters(program: string, option: string): readonly string[] {
  const known = Object.hasOwn(letters, program) ? (letters[program] ?? {}) : {};
  const short = /^-([A-Za-z]{1,4})$/.exec(option)?.[1];
  if (short !== undefined) return Array.from(short, (letter) => known[letter] ?? letter);
  if (!/^--[a-z-]+$/.test(option)) return [];
  return Object.keys(known).flatMap((name) => (name.startsWith(option) ? (known[name] ?? []) : []));
}
