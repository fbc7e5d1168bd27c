import type { CommandWord } from './command-line.ts';
import type { Finding } from './finding.ts';
import { isOtherShell, isShell } from './programs.ts';

/** A command's input from a here-document or here-string: its text, or `undefined` when it contains expansions. */
export type CommandInput = string | undefined;

/** The shell text that `bash -c`, `eval`, `trap`, `source` and similar commands run; empty for another command. */
export function shellText(
  name: string,
  words: readonly CommandWord[],
  inputs: readonly CommandInput[],
): readonly Finding[] {
  if (isShell(name)) return shell(name, words, inputs);
  if (name === 'eval') return joined('eval', words.slice(words[1] === '--' ? 2 : 1));
  if (name === 'source' || name === '.') return sourced(words, inputs);
  if (name === 'trap') return trapped(words);
  if (name === 'alias') return aliases(words);
  return ['at', 'batch', 'crontab'].includes(name) && words.length > 0 ? fromInput(name, inputs) : [];
}

function shell(name: string, words: readonly CommandWord[], inputs: readonly CommandInput[]): readonly Finding[] {
  const findings: Finding[] = isOtherShell(name) ? [{ unknown: `${name} is not parsed, only what bash has too` }] : [];
  const options = shellOptions(words);
  if (options === undefined) return [...findings, { unknown: `the options of ${name} are expansions` }];
  const operands = words.slice(options.end);
  if (options.history) findings.push({ unknown: `later lines of ${name} are changed by the history` });
  if (options.startFile) findings.push({ unknown: `${name} starts with a file of its own` });
  if (options.command) return [...findings, ...commandText(name, operands, options.exact)];
  const [file] = operands;
  if (operands.length > 0 && file === undefined)
    return [...findings, { unknown: `${name} runs what an expansion names` }];
  // A script is looked for in the PATH too.
  if (file !== undefined) findings.push({ inner: operands });
  if (options.prints) return findings;
  const readsInput = file === undefined || options.input || isInput(file);
  return [...findings, ...(readsInput ? fromInput(name, inputs) : literalTexts(inputs))];
}

function commandText(name: string, operands: readonly CommandWord[], exact: boolean): readonly Finding[] {
  // An option with a value makes it unclear which word is the text: any of them may be.
  const texts = exact ? operands.slice(0, 1) : operands;
  const findings: Finding[] = texts.flatMap((text) => (text === undefined ? [] : [{ text }]));
  if (operands.length === 0 || texts.includes(undefined))
    findings.push({ unknown: `${name} -c runs what an expansion makes` });
  return findings;
}

interface ShellOptions {
  readonly end: number;
  readonly command: boolean;
  readonly input: boolean;
  readonly exact: boolean;
  readonly startFile: boolean;
  readonly prints: boolean;
  readonly history: boolean;
}

function shellOptions(words: readonly CommandWord[]): ShellOptions | undefined {
  const seen = { command: false, input: false, exact: true, startFile: false, prints: false, history: false };
  let end = 1;
  for (; end < words.length; end += 1) {
    const word = words[end];
    if (word === undefined) return seen.command ? { ...seen, end } : undefined;
    if (!/^[-+]./.test(word)) break;
    if (word === '--') return { ...seen, end: end + 1 };
    if (word === '--version' || word === '--help') seen.prints = true;
    if (/^--(rcfile|init-file)/.test(word)) seen.startFile = true;
    if (/^--(rcfile|init-file)$/.test(word)) end += 1;
    if (word.startsWith('--')) continue;
    seen.command ||= word.includes('c');
    seen.input ||= word.includes('s');
    seen.history ||= word.includes('H');
    if (!/[oO]/.test(word)) continue;
    seen.exact = false;
    // The value of -o is a name: anything else is checked as a text.
    if (!seen.command && /^[a-z]+$/.test(words[end + 1] ?? '')) end += 1;
  }
  return { ...seen, end };
}

function fromInput(name: string, inputs: readonly CommandInput[]): readonly Finding[] {
  const unread = inputs.length === 0 || inputs.includes(undefined);
  const findings: Finding[] = unread ? [{ unknown: `${name} runs what it reads` }] : [];
  return [...findings, ...literalTexts(inputs)];
}

/** Texts of the line's own input, which a file may turn out to be by another name. */
function literalTexts(inputs: readonly CommandInput[]): readonly Finding[] {
  return inputs.flatMap((text) => (text === undefined ? [] : [{ text }]));
}

/** True when a file name refers to the input, whatever the shell's directory. */
function isInput(file: string): boolean {
  return /^(-|\/+(dev|proc)\/.*|(.*\/)?(stdin|fd\/\d+)|(\.\/)?\d+)$/s.test(file);
}

function joined(name: string, words: readonly CommandWord[]): readonly Finding[] {
  if (words.includes(undefined)) return [{ unknown: `${name} runs what an expansion makes` }];
  return words.length > 0 ? [{ text: words.join(' ') }] : [];
}

function sourced(words: readonly CommandWord[], inputs: readonly CommandInput[]): readonly Finding[] {
  const script = words.slice(words[1] === '--' ? 2 : 1);
  if (script.length === 0) return [];
  const [file] = script;
  if (file === undefined) return [{ unknown: `${words[0]} reads what an expansion names` }];
  const found: Finding = { inner: script };
  return [found, ...(isInput(file) ? fromInput('source', inputs) : literalTexts(inputs))];
}

function trapped(words: readonly CommandWord[]): readonly Finding[] {
  const [, first, ...rest] = words;
  if (words.length < 2 || (first !== undefined && /^-[lpP]/.test(first))) return [];
  const action = first === '--' ? rest[0] : first;
  if (action === undefined) return [{ unknown: 'trap runs what an expansion makes' }];
  return action === '-' ? [] : [{ text: action }];
}

function aliases(words: readonly CommandWord[]): readonly Finding[] {
  return words.slice(1).flatMap((word): Finding[] => {
    if (word !== undefined && !word.includes('=')) return [];
    const unknown: Finding = { unknown: 'alias gives a command another name' };
    return word === undefined ? [unknown] : [unknown, { text: word.slice(word.indexOf('=') + 1) }];
  });
}
