import type { CommandWord } from './command-line.ts';
import type { Finding } from './finding.ts';
import { looseWrappers, packageRunners, runnerSubcommands, type Wrapper, wrappers } from './wrapper-table.ts';

/** The commands that a wrapper such as `env` or `find -exec` runs; empty when the command is not a wrapper. */
export function unwrap(name: string, words: readonly CommandWord[]): readonly Finding[] {
  if (name === 'find' || name === 'gfind') return findActions(words);
  if (name === 'fd' || name === 'fdfind') return words.some(isExecOption) ? anyOf(words.slice(1), name) : [];
  if (name === 'git') return runByGit(words);
  const wrapper = wrappers.get(name);
  if (wrapper) return wrapped(name, wrapper, words);
  if (looseWrappers.has(name) || /^ld([-.]|64)(.*\.)?so/.test(name))
    return anyOf(words.slice(1), name, packageRunners.has(name));
  return Object.hasOwn(runnerSubcommands, name) ? runBySubcommand(name, words.slice(1)) : [];
}

function runBySubcommand(name: string, words: readonly CommandWord[]): readonly Finding[] {
  const at = words.findIndex((word) => word !== undefined && runnerSubcommands[name]?.includes(word));
  if (at !== -1) return anyOf(words.slice(at + 1), name, true);
  const isOpen = words.includes(undefined) && !namesProgram(words);
  return isOpen ? [{ unknown: `${name} may run what an expansion makes` }] : [];
}

/** `bisect run`, `submodule foreach` and `rebase --exec` run a command. */
function runByGit(words: readonly CommandWord[]): readonly Finding[] {
  const isBehind = (at: number, subcommand: string) => words.slice(1, at).includes(subcommand);
  const at = words.findIndex(
    (word, index) =>
      (word === 'run' && isBehind(index, 'bisect')) || (word === 'foreach' && isBehind(index, 'submodule')),
  );
  if (at !== -1) return anyOf(words.slice(at + 1), 'git');
  if (!words.includes('rebase')) return [];
  return words.flatMap((word, index): readonly Finding[] => {
    const [, attached] = /^(?:-x|--exec=)([\s\S]+)$/.exec(word ?? '') ?? [];
    const text = /^(-x|--exec)$/.test(word ?? '') ? words[index + 1] : attached;
    return text === undefined ? [] : [{ text }];
  });
}

function wrapped(name: string, wrapper: Wrapper, words: readonly CommandWord[]): readonly Finding[] {
  if (name === 'command' && /^-p*[vV]/.test(words[1] ?? '')) return [];
  if (name === 'env' && words.some((word) => word !== undefined && /^-\w*S|^--s/.test(word)))
    return splitStrings(words);
  const start = programIndex(wrapper, words);
  if (start === undefined) {
    const reads: readonly Finding[] = name === 'xargs' ? [{ unknown: 'xargs may run what it reads' }] : [];
    return [...anyOf(words.slice(1), name), ...reads];
  }
  const inner = words.slice(start);
  if (name !== 'xargs') return inner.length > 0 ? [{ inner }] : [];
  if (inner.length === 0) return [{ inner: ['echo', undefined] }];
  // The input of xargs is added after the words, and wherever the mark of -I is.
  const marks = words.slice(1, start).flatMap((word, index) => markOf(word, words[index + 2]));
  const filled = inner.map((word) => (marks.some((mark) => word?.includes(mark)) ? undefined : word));
  return [{ inner: [...filled, undefined] }];
}

/** The index of the command; `undefined` when an option is unknown or not literal. */
function programIndex(wrapper: Wrapper, words: readonly CommandWord[]): number | undefined {
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) return undefined;
    if (word === '--') {
      at += 1;
      break;
    }
    if (!word.startsWith('-') || word === '-') break;
    const taken = word.startsWith('--') ? longOption(wrapper, word.slice(2)) : cluster(wrapper, word);
    if (taken === undefined || (taken > 0 && words[at + taken] === undefined)) return undefined;
    at += taken;
  }
  const skipped = words.slice(at, at + (wrapper.skip ?? 0));
  if (skipped.some((word) => word === undefined || word.startsWith('-'))) return undefined;
  at += skipped.length;
  while (wrapper.assignments && (words[at] === '-' || words[at]?.includes('='))) at += 1;
  return words[at]?.startsWith('-') ? undefined : at;
}

/** The number of further words that a long option takes. */
function longOption({ long = [], longValues = [] }: Wrapper, option: string): number | undefined {
  const [name = ''] = option.split('=', 1);
  if (name !== option) return long.includes(name) || longValues.includes(name) ? 0 : undefined;
  if (longValues.includes(name)) return 1;
  return long.includes(name) ? 0 : undefined;
}

function cluster({ flags = '', values = '' }: Wrapper, word: string): number | undefined {
  for (let at = 1; at < word.length; at += 1) {
    if (values.includes(word[at]!)) return at === word.length - 1 ? 1 : 0;
    if (!flags.includes(word[at]!)) return undefined;
  }
  return 0;
}

function markOf(option: CommandWord, next: CommandWord): readonly string[] {
  const found = /^-[0rtpxo]*I(.*)$/s.exec(option ?? '');
  if (!found) return [];
  return [found[1] || next || '{}'];
}

/** `env -S 'a b'` splits a text much as a shell does, with variables. */
function splitStrings(words: readonly CommandWord[]): readonly Finding[] {
  const findings: Finding[] = [...anyOf(words.slice(1), 'env')];
  for (const word of words) {
    const text = word?.replace(/^-\w*?S|^--split-string=|^--s[a-z-]*=?/, '');
    if (text?.includes('$')) findings.push({ unknown: 'env -S puts variables into what it runs' });
    if (text) findings.push({ text }, { text: text.replace(/^(\s*(-\S+|[^\s=]*=\S*))+/, '') });
  }
  return findings;
}

/** Any of the words may be the program, or a shell text. With `runner`, the words after a plain word are its arguments. */
function anyOf(words: readonly CommandWord[], name: string, runner = false): readonly Finding[] {
  if (words.length === 0) return [];
  const findings: Finding[] = [{ inner: words, anyWord: true }];
  if (words.includes(undefined) && !(runner && namesProgram(words)))
    findings.push({ unknown: `${name} may run what an expansion makes` });
  for (const word of words) {
    for (const text of attachedTexts(word ?? '')) findings.push({ text });
    if (word && /[\s;&|$`(<>]/.test(word)) findings.push({ text: word });
  }
  return findings;
}

/** Possible values of an option in the same word: after a sign, or after any letter of `-xyz`. */
function attachedTexts(word: string): readonly string[] {
  const value = /^--?[\w-]+=([\s\S]+)$/.exec(word)?.[1];
  const letters = /^-\w+/.exec(word)?.[0].length ?? 0;
  const behind = Array.from({ length: Math.max(0, letters - 1) }, (_, at) => word.slice(at + 2));
  return [...(value === undefined ? [] : [value]), ...behind].filter((text) => text !== '');
}

/** True when a plain word, which is not the value of an option, precedes every expansion. */
function namesProgram(words: readonly CommandWord[]): boolean {
  const before = words.slice(0, words.indexOf(undefined));
  return before.some((word, at) => {
    const isValue = before[at - 1]?.startsWith('-') === true && !/^(-y|--yes|--)$/.test(before[at - 1]!);
    return word !== undefined && !word.startsWith('-') && !isValue;
  });
}

function isExecOption(word: CommandWord): boolean {
  return word === undefined || /^(-\w*[xX]|--e)/.test(word);
}

function findActions(words: readonly CommandWord[]): readonly Finding[] {
  const findings: Finding[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(exec|ok)(dir)?$/.test(words[at] ?? '')) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex((word, index) => word === ';' || (word === '+' && rest[index - 1]?.includes('{}')));
    const inner = end === -1 ? rest : rest.slice(0, end);
    if (inner.length > 0) findings.push({ inner: inner.map((word) => (word?.includes('{}') ? undefined : word)) });
    at += inner.length;
  }
  return findings;
}
