/** Letters by which well-known programs know their long options, and letters that mean the same. */
const letters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rm: { '--recursive': 'r', '--force': 'f', R: 'r' },
  cp: { '--recursive': 'r', '--force': 'f', R: 'r' },
  chmod: { '--recursive': 'R' },
  chown: { '--recursive': 'R' },
  git: { '--force': 'f', '--delete': 'd', '--no-verify': 'n' },
  npm: { '--global': 'g' },
};

/** The letters of `-rf`, or of `--force` where the program is known, of which both may be shortened; empty for another word. */
export function optionLetters(program: string, option: string): readonly string[] {
  const known = Object.hasOwn(letters, program) ? (letters[program] ?? {}) : {};
  const short = /^-([A-Za-z]{1,4})$/.exec(option)?.[1];
  if (short !== undefined) return Array.from(short, (letter) => known[letter] ?? letter);
  if (!/^--[a-z-]+$/.test(option)) return [];
  return Object.keys(known).flatMap((name) => (name.startsWith(option) ? (known[name] ?? []) : []));
}
