import type { ParsedScript, Word, WordPart } from 'unbash';
import { partsValue, wordValue } from './word-value.ts';

/** Commands whose output is a number, whatever the files on the machine hold. */
const numericCommands = ['nproc', 'date +%s', 'date +%s%N', 'wc -l', 'wc -c', 'wc -w', 'wc -m'];

type Arithmetic = { readonly value: string; readonly parts?: readonly WordPart[] | undefined };

/** Variables that contain text of the line without being assigned, or text from outside. */
const textual = [
  ...'_ REPLY MAPFILE BASH_REMATCH BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_EXECUTION_STRING'.split(' '),
  ...'BASH_SOURCE FUNCNAME OPTARG PWD OLDPWD DIRSTACK'.split(' '),
];
/** Variables whose values bash converts to numbers. */
const integers = ['RANDOM', 'SRANDOM', 'SECONDS', 'OPTIND', 'HISTCMD'];
/** Variables that are arrays from the beginning. */
const lists = 'BASH_REMATCH BASH_ARGV BASH_SOURCE DIRSTACK FUNCNAME GROUPS MAPFILE PIPESTATUS COPROC COMPREPLY'.split(
  ' ',
);

/**
 * Tracks variables that are set to text, and those used as numbers: bash evaluates the text of a variable that is used as a number, with
 * any `$(..)` in a subscript of it.
 */
export class VariableNames {
  readonly #text = new Set<string>(textual);
  readonly #numbers = new Set<string>(integers);
  readonly #arrays = new Set<string>(lists);
  readonly #declared = new Set<string>();

  /** Records that a variable is set to one of these words; without words, to something from outside. */
  assign(name: string, words: readonly (Word | string)[] | undefined): void {
    if (words?.every((word) => (typeof word === 'string' ? isNumber(word) : isNumeric(word)))) return;
    this.#text.add(name);
  }

  /** Records that a word is evaluated as a number. Returns the reason why that may run something, whatever the variables contain. */
  useNumber({ value, parts }: Arithmetic): string | undefined {
    if (!parts) return this.#useText(value);
    for (const part of parts) {
      const reason = this.#usePart(part);
      if (reason) return reason;
    }
    return undefined;
  }

  /** Records that a variable's text is converted to words or to a number. */
  use(name: string): void {
    this.#numbers.add(name);
  }

  /** Marks the variable as a list. */
  list(name: string): void {
    this.#arrays.add(name);
  }

  /**
   * Records that `declare` or a similar builtin sets the variable to an unknown text: for a list it would be the elements, to be expanded.
   */
  declare(name: string): void {
    this.#declared.add(name);
  }

  /** True when a variable that was set to text is used as a number, or one declared with unknown text as a list. */
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

/** True when the script prints only a number. */
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
