import type { LooseWord } from './command-line.ts';
import { isNoneOf } from './loose-word.ts';
import { riskyOptions } from './risky-options.ts';
import type { RiskyOptions } from './risky-program.ts';
import { isHarmlessSedScript } from './sed-script.ts';

/**
 * The words of a command (by index) that are {@link riskyOptions} of its program, or expansions that may become one: those that do not
 * begin with plain text, or are at a place where the program expects more than a file.
 */
export function riskyWords(words: readonly (string | LooseWord)[]): readonly number[] {
  // What an expansion adds to its first letters is no text that anything allows.
  const texts = words.map((word) => (typeof word === 'string' ? word : `${word.starts}\0`));
  const [program = ''] = texts;
  const risky = program === 'sed' || program === 'gsed' ? riskySedWords(texts) : riskyTexts(texts, tableOf(program));
  const loose = [...words.keys()].filter((at) => {
    const word = words[at]!;
    return typeof word !== 'string' && mayBeRisky(word, at, texts);
  });
  return [...new Set([...risky, ...loose])].sort((a, b) => a - b);
}

function tableOf(program: string): RiskyOptions | undefined {
  return Object.hasOwn(riskyOptions, program) ? riskyOptions[program] : undefined;
}

function mayBeRisky(word: LooseWord, at: number, texts: readonly string[]): boolean {
  const { starts, becomes, given } = word;
  const [program = ''] = texts;
  const table = /^g?sed$/.test(program) ? {} : tableOf(program);
  if (!table) return false;
  if (table === riskyOptions['find']) return !isNoneOf(word, table.options ?? []);
  const subcommandAt = table.subcommands || table.oddSubcommand ? subcommandIndex(table, texts) : 0;
  if (table.operands !== undefined || at <= subcommandAt || (table.bareLetters && at === 1)) return true;
  if (given) return false;
  if (becomes === 'any' || !/^[^-+]/.test(starts)) return true;
  const isText = table.textSubcommands?.includes(texts[subcommandAt] ?? '') ?? false;
  return table.words !== undefined && !isText && !starts.includes('/');
}

function riskyTexts(words: readonly string[], table: RiskyOptions | undefined): readonly number[] {
  if (!table) return [];
  if (table.operands !== undefined) return furtherOperands(table, words);
  const subcommandAt = table.subcommands || table.oddSubcommand ? subcommandIndex(table, words) : 0;
  const name = words[subcommandAt] ?? '';
  const isNamed = Object.hasOwn(table.subcommands ?? {}, name);
  const behind = isNamed ? (table.subcommands?.[name] ?? []) : table.otherSubcommands ? true : [];
  const isRisky = behind === true || !behind.every((each) => isFine(each, words.slice(subcommandAt + 1)));
  const options = behind === true ? [] : behind.filter((each) => typeof each === 'string');
  return [...words.keys()].filter((at) => {
    const word = words[at]!;
    if (at === 0) return false;
    const isText = at > subcommandAt && (table.textSubcommands?.includes(name) ?? false);
    if ((!isText && table.words?.test(word)) || isOneOf(table, table.options ?? [], word, at)) return true;
    if (at < subcommandAt) return isOneOf(table, table.globalOptions ?? [], word, at);
    if (at === subcommandAt) return isRisky || (table.oddSubcommand?.test(word) ?? false);
    return options.includes(word) || isOneOf(table, options, word, at);
  });
}

function isFine(behind: string | RegExp, words: readonly string[]): boolean {
  // A blank within a word would look like the next word.
  return typeof behind === 'string' || (!words.some((word) => /\s/.test(word)) && behind.test(words.join(' ')));
}

function furtherOperands(
  { operands = 0, globalValues = [] }: RiskyOptions,
  words: readonly string[],
): readonly number[] {
  const isValue = (at: number) => globalValues.includes(words[at - 1] ?? '');
  const found = [...words.keys()].filter(
    (at) => at > 0 && !isValue(at) && (words[at] === '-' || !words[at]!.startsWith('-')),
  );
  return found.slice(operands);
}

/** True when the program runs what the configuration of its directory says, or is itself found relative to it. */
export function obeysDirectory([program = '']: readonly (string | LooseWord)[]): boolean {
  if (typeof program !== 'string') return false;
  return tableOf(program)?.obeysDirectory === true || /^[^/]+\//.test(program);
}

function subcommandIndex({ globalValues = [] }: RiskyOptions, words: readonly string[]): number {
  let at = 1;
  while (at < words.length && words[at]!.startsWith('-')) at += globalValues.includes(words[at]!) ? 2 : 1;
  return at;
}

function isOneOf(table: RiskyOptions, options: readonly string[], word: string, at: number): boolean {
  if (table.wholeWords) {
    const [name = ''] = word.replace(/^--/, '-').split('=', 1);
    return options.includes(name);
  }
  if (word.startsWith('--')) {
    const [name = ''] = word.split('=', 1);
    // A long option may be shortened to what is still its own.
    return name.length > 2 && options.some((option) => option.startsWith(name));
  }
  const letters = word.startsWith('-') ? word.slice(1) : table.bareLetters && at === 1 ? word : '';
  return options.some((option) => /^-[^-]$/.test(option) && letters.includes(option[1]!));
}

/** `sed` runs commands (`e`) and writes files (`w`) from its script; `-i` is the writing that a rule for `sed` means. */
function riskySedWords(words: readonly string[]): readonly number[] {
  const isScript = words.map(() => false);
  const risky: number[] = [];
  let scripts = 0;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at]!;
    if (
      /^(-[nErsuz]+|--(quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug|sandbox)|-i.*|-l\d+|--in-place(=.*)?)$/.test(
        word,
      )
    )
      continue;
    const value = /^(?:-[nErsuz]*e|--expression=?)(.*)$/s.exec(word)?.[1];
    if (value !== undefined) {
      scripts += 1;
      if (value === '') isScript[at + 1] = true;
      else if (!isHarmlessSedScript(value)) risky.push(at);
    } else if (word.startsWith('-') && word.length > 1 && !isScript[at]) risky.push(at);
    else if (isScript[at] && !isHarmlessSedScript(word)) risky.push(at);
  }
  if (scripts > 0) return risky;
  const first = words.findIndex((word, at) => at > 0 && !(word.startsWith('-') && word.length > 1));
  return first === -1 || isHarmlessSedScript(words[first]!) ? risky : [...risky, first];
}
