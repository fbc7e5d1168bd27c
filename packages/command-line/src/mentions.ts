import type { CommandLine, CommandWord, ParsedCommand } from './command-line.ts';
import type { CommandPattern, PatternWord, PatternWords } from './command-pattern.ts';
import { interpreterPrograms, isInterpreter, programName } from './programs.ts';

/**
 * `yes` when any command at any depth matches: for deny and ask rules, so when in doubt it does. `unknown` when the line hides its
 * commands; then a pattern for one of {@link interpreterPrograms} or for any command counts as matching, and so does every pattern when the
 * line exceeds the limits. Further words may follow every pattern, and a `*` stands for blanks too. A program's bare name matches it at any
 * path, a name with a slash every path that may be the same file. Options, each with a value, are skipped between the words of a pattern
 * (`git -C dir push` matches `git push`), and a pattern word that is an option may be anywhere after the program, short ones also apart,
 * among others, or as the long ones of well-known programs (`rm --recursive a -fv` matches `rm -rf`).
 */
export function mentions(line: CommandLine, pattern: CommandPattern): 'yes' | 'no' | 'unknown' {
  const answers = pattern.alternatives.map((words) => mentioned(line, words));
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unknown') ? 'unknown' : 'no';
}

function mentioned(line: CommandLine, pattern: PatternWords): 'yes' | 'no' | 'unknown' {
  const [program] = pattern.words;
  if (line.overLimit || program === undefined) return 'yes';
  if (line.commands.some((command) => matches(command, pattern, false))) return 'yes';
  const isHidden = line.unknown.length > 0 || line.error !== undefined;
  if (!isHidden) return line.commands.some((command) => matches(command, pattern, true)) ? 'unknown' : 'no';
  if (runsAnything(program)) return 'yes';
  // A line that is not understood mentions at least what is written in it.
  const isWritten = line.error !== undefined && program.literal !== undefined && line.text.includes(program.literal);
  return isWritten ? 'yes' : 'unknown';
}

function runsAnything(program: PatternWord): boolean {
  if (program.literal !== undefined) return isInterpreter(programName(program.literal));
  return interpreterPrograms.some((name) => program.matches(name));
}

/** With `guess`, an expansion may be any words. */
function matches({ words, anyWord }: ParsedCommand, pattern: PatternWords, guess: boolean): boolean {
  const [program, ...wanted] = pattern.words;
  const last = anyWord ? words.length : 1;
  for (let start = 0; program && start < last; start += 1) {
    const word = words[start];
    if (word === undefined || !isProgram(program, word)) continue;
    // Among words of unknown roles, the rest of the pattern only has to be present.
    if (anyWord) return wanted.every((other) => words.some((each) => each === undefined || other.matches(each)));
    if (follows(words, wanted, guess)) return true;
  }
  return !guess && pattern.spans !== undefined && texts(words).some(pattern.spans);
}

/** The command as one text, with its program spelled as it is and by its name. */
function texts([program, ...rest]: readonly CommandWord[]): readonly string[] {
  const spellings = program === undefined ? ['\0'] : [...new Set([program, programName(program)])];
  return spellings.map((name) => [name, ...rest.map((word) => word ?? '\0')].join(' '));
}

function isProgram(program: PatternWord, word: string): boolean {
  if (program.literal?.includes('/')) return mayBeOne(program.literal, word);
  // A program that is found in the PATH is in some directory: `*/curl` matches `curl`.
  const name = programName(word);
  return program.matches(name) || program.matches(word) || program.matches(`/${name}`);
}

function follows(words: readonly CommandWord[], wanted: readonly PatternWord[], guess: boolean): boolean {
  let places = new Set([1]);
  for (const word of wanted) {
    const after = placesAfter(words, places, word, guess);
    places = isGiven(word, words) ? new Set([...places, ...after]) : after;
  }
  return places.size > 0;
}

/** The indexes after each word that the pattern word may be, from any of the given ones on. */
function placesAfter(
  words: readonly CommandWord[],
  places: ReadonlySet<number>,
  wanted: PatternWord,
  guess: boolean,
): Set<number> {
  const found = new Set<number>();
  const isAnywhere = wanted.text.startsWith('-');
  let reached = false;
  for (let at = 1; at < words.length; at += 1) {
    reached = places.has(at) || (reached && (isAnywhere || isPassedOver(words, at - 1)));
    const word = words[at];
    if (!reached) continue;
    if (word === undefined) {
      // An expansion may be several words, and the next pattern word one of them.
      if (guess) found.add(at).add(at + 1);
    } else if (wanted.matches(word) || isWithValue(wanted, word)) found.add(at + 1);
  }
  return found;
}

/** True when the word is the long option with its value: `--privileged=true`. */
function isWithValue({ literal }: PatternWord, word: string): boolean {
  return literal !== undefined && literal.startsWith('--') && literal !== '--' && word.startsWith(`${literal}=`);
}

/** True when each letter of an option is among the options. */
function isGiven({ text, literal = text.replace(/\*+$/, '') }: PatternWord, words: readonly CommandWord[]): boolean {
  const program = programName(words[0] ?? '');
  const wanted = optionLetters(program, literal);
  if (wanted.length === 0) return false;
  const end = words.indexOf('--');
  const options = words.slice(1, end === -1 ? undefined : end);
  const given = new Set(options.flatMap((word) => optionLetters(program, word ?? '')));
  return wanted.every((letter) => given.has(letter));
}

/** True when the word is an option, or may be the value of one. */
function isPassedOver(words: readonly CommandWord[], at: number): boolean {
  const [before, word] = [words[at - 1], words[at]];
  return word === undefined || word.startsWith('-') || (at > 1 && (before === undefined || before.startsWith('-')));
}

/** True when two paths may be of the same file, whatever the shell's directory and the PATH: one is the end of the other. */
function mayBeOne(one: string, other: string): boolean {
  if (one.startsWith('/') && other.startsWith('/')) return namesOf(one).join('/') === namesOf(other).join('/');
  const [long, short] = [namesOf(one), namesOf(other)].sort((first, second) => second.length - first.length);
  return short!.length > 0 && long!.slice(-short!.length).join('/') === short!.join('/'); // there are two
}

function namesOf(path: string): readonly string[] {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

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
function optionLetters(program: string, option: string): readonly string[] {
  const known = (Object.hasOwn(letters, program) && letters[program]) || {};
  const short = /^-([A-Za-z]{1,4})$/.exec(option)?.[1];
  if (short !== undefined) return Array.from(short, (letter) => known[letter] ?? letter);
  if (!/^--[a-z-]+$/.test(option)) return [];
  return Object.entries(known).flatMap(([name, letter]) => (name.startsWith(option) ? [letter] : []));
}
