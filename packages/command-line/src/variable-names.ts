import type { ParsedScript, Word, WordPart } from 'unbash';
import { partsValue, wordValue } from './word-value.ts';

/** Commands whose output is a number, whatever the files on the machine hold. */
const numericCommands = ['nproc', 'date +%s', 'date +%s%N', 'wc -l', 'wc -c', 'wc -w', 'wc -m'];

type Arithmetic = { readonly value: string; readonly parts?: readonly WordPart[] | undefined };

/** Variables that hold text of the line without being given it, or hold what comes from outside. */
const textual = [
  ...'_ REPLY MAPFILE BASH_REMATCH BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_EXECUTION_STRING'.split(' '),
  ...'BASH_SOURCE FUNCNAME OPTARG PWD OLDPWD DIRSTACK'.split(' '),
];
/** Variables of which bash makes a number whenever they are given something. */
const integers = ['RANDOM', 'SRANDOM', 'SECONDS', 'OPTIND', 'HISTCMD'];
/** Variables that are arrays from the beginning. */
const lists = 'BASH_REMATCH BASH_ARGV BASH_SOURCE DIRSTACK FUNCNAME GROUPS MAPFILE PIPESTATUS COPROC COMPREPLY'.split(
  ' ',
);

/**
 * Follows which variables are given text, and which are used as numbers: bash evaluates the text of a variable that is used as a
 * number, with any `$(..)` in a subscript of it.
 */
export class VariableNames {
  readonly #text = new Set<string>(textual);
  readonly #numbers = new Set<string>(integers);
  readonly #arrays = new Set<string>(lists);
  readonly #declared = new Set<string>();

  /** A variable gets one of these words; without words, something from outside. */
  assign(name: string, words: readonly (Word | string)[] | undefined): void {
    if (words?.every((word) => (typeof word === 'string' ? isNumber(word) : isNumeric(word)))) return;
    this.#text.add(name);
  }

  /** A word is evaluated as a number. Answers why that may run something, whatever the variables hold. */
  useNumber({ value, parts }: Arithmetic): string | undefined {
    if (!parts) return this.#useText(value);
    for (const part of parts) {
      const reason = this.#usePart(part);
      if (reason) return reason;
    }
    return undefined;
  }

  /** A variable's text is made into words or into a number. */
  use(name: string): void {
    this.#numbers.add(name);
  }

  /** The variable holds a list. */
  list(name: string): void {
    this.#arrays.add(name);
  }

  /** `declare` or its like gives the variable a text that is not known: of a list it would be the elements, to be expanded. */
  declare(name: string): void {
    this.#declared.add(name);
  }

  /** Whether a variable that was given text is used as a number, or text that is declared one as a list. */
  get mixed(): boolean {
    return meet(this.#numbers, this.#text) || meet(this.#declared, this.#arrays);
  }

  #usePart(part: WordPart): string | undefined {
    switch (part.type) {
      case 'Literal':
      case 'Glob':
        return this.#useText(part.text);
      case 'SimpleExpansion':
        return this.#useVariable(part.text.slice(1));
      case 'ParameterExpansion':
        return part.prefix === '#' ? undefined : this.#useVariable(part.parameter);
      case 'DoubleQuoted':
        return this.useNumber({ value: '', parts: part.parts });
      case 'CommandExpansion':
        return isNumericScript(part.script) ? undefined : 'the output of a command is evaluated as a number';
      case 'ArithmeticExpansion':
        return undefined;
      default:
        return this.#useText(partsValue([part]) ?? '\\');
    }
  }

  #useVariable(name: string): string | undefined {
    if (/^[#?$!-]$/.test(name)) return undefined;
    if (!/^[A-Za-z_]/.test(name)) return 'an argument is evaluated as a number';
    this.use(name);
    return undefined;
  }

  #useText(text: string): string | undefined {
    if (/['"`\\$]/.test(text)) return 'quoted text is evaluated as a number';
    for (const [name] of text.matchAll(/(?<![\w#])[A-Za-z_]\w*/g)) this.use(name);
    return undefined;
  }
}

function meet(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...some].some((name) => others.has(name));
}

/** Whether the script prints a number only. */
function isNumericScript(script: ParsedScript | undefined): boolean {
  const [statement, ...others] = script?.commands ?? [];
  if (statement?.command.type !== 'Command' || others.length > 0) return false;
  const { name, args } = statement.command;
  const words = [name, ...args].map((word) => (word?.type === 'Word' ? wordValue(word) : undefined));
  return !words.includes(undefined) && numericCommands.includes(words.join(' '));
}

function isNumeric({ value, parts }: Word): boolean {
  if (!parts) return isNumber(value);
  const numeric = (part: WordPart): boolean => {
    if (part.type === 'ArithmeticExpansion') return true;
    if (part.type === 'CommandExpansion') return isNumericScript(part.script);
    if (part.type === 'ParameterExpansion') return part.prefix === '#';
    if (part.type === 'SimpleExpansion') return /^\$[#?$!]$/.test(part.text);
    if (part.type === 'DoubleQuoted') return part.parts.every(numeric);
    if (part.type === 'BraceExpansion') return /^\{\d+\.\.\d+(\.\.\d+)?\}$/.test(part.text);
    return isNumber(partsValue([part]) ?? '\\');
  };
  return parts.every(numeric);
}

function isNumber(text: string): boolean {
  return /^[+-]?[\d.]*$/.test(text);
}
