import {
  type Assignment,
  type Command,
  type ParsedScript,
  parse,
  type Redirect,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { childrenOf } from './children.ts';
import type { CommandWord, ParsedCommand } from './command-line.ts';
import { expandedPatterns } from './expanded-patterns.ts';
import type { Finding } from './finding.ts';
import { bareNames, isNoneOf, looseWord } from './loose-word.ts';
import { isInterpreter, isShell, programName } from './programs.ts';
import { reevaluates } from './reevaluation.ts';
import { riskyOptions } from './risky-options.ts';
import { type CommandInput, shellText } from './shell-text.ts';
import { evaluated } from './syntax-evaluation.ts';
import { unwrap } from './unwrap.ts';
import { VariableNames } from './variable-names.ts';
import { maySplit, wordValue } from './word-value.ts';
import { looseWrappers, wrappers } from './wrapper-table.ts';

/** Thrown inside the scan when the line exceeds the limits of depth or work. */
export class ScanLimit extends Error {}

/** Deeper than any line that people write, and less deep than the parser's limit. */
const maxDepth = 240;
const maxTexts = 2_000;
const maxWork = 3_000_000;

/** Collects the commands of a line, in the line itself and in the texts it passes to shells. */
export class Scanner {
  readonly #bare: ReadonlySet<string>;
  readonly commands: ParsedCommand[] = [];
  readonly unknown: Set<string> = new Set();
  readonly errors: string[] = [];
  readonly redirects: Set<string> = new Set();
  readonly named: Set<string> = new Set();
  readonly expanded: Set<string> = new Set();
  readonly #names = new VariableNames();
  readonly #texts: { readonly text: string; readonly via: string }[] = [];
  #texted = 0;
  #startFile = false;
  #work = 0;

  constructor(line: string) {
    this.#bare = bareNames(line);
  }

  /** @throws ScanLimit */
  scan(script: ParsedScript): void {
    this.#visit(script, undefined);
    for (let next = this.#texts.pop(); next; next = this.#texts.pop()) this.#visit(parse(next.text), next.via);
    const isStarted = this.commands.some(({ words }) => words.some((word) => isShell(programName(word ?? ''))));
    if (this.#startFile && isStarted) this.unknown.add('a shell starts with the file that ENV names');
    if (this.#names.mixed) this.unknown.add('a text is evaluated as a number or as a list');
  }

  #visit(root: SyntaxNode, via: string | undefined): void {
    const pending: [node: SyntaxNode, depth: number][] = [[root, 0]];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [node, depth] = next;
      if (depth > maxDepth) throw new ScanLimit('it is nested too deeply');
      this.#look(node, via);
      const children = childrenOf(node);
      if (!children) this.unknown.add(`the line holds syntax that is not known here (${node.type})`);
      // Backwards, so that what stands first is looked at first.
      for (const child of [...(children ?? [])].reverse()) if (child) pending.push([child, depth + 1]);
    }
  }

  #look(node: SyntaxNode, via: string | undefined): void {
    if (node.type === 'Script') this.#addErrors(node);
    else if (node.type === 'Word') this.#addExpanded(node);
    else if (node.type === 'Redirect') this.#addRedirect(node);
    else if (node.type === 'HereString') this.#addNamed(node.target);
    else if (node.type === 'For' || node.type === 'Select') node.wordlist?.forEach((word) => this.#addNamed(word));
    else if (node.type === 'Default') this.#addNamed(node.operand);
    else if (node.type === 'ArrayValue') node.elements.forEach((word) => this.#addNamed(word));
    else if (node.type === 'Command') this.#addCommand(node, via);
    else if (node.type === 'Assignment') {
      this.#assigned(node.name, wordOf(node));
      this.#addNamed(wordOf(node));
      if (node.index || node.value.type !== 'Word') this.#names.list(node.name);
    } else if (node.type === 'Function') this.#addFunction(wordValue(node.name));
    for (const reason of evaluated(node, this.#names)) this.unknown.add(reason);
  }

  #addExpanded(word: Word): void {
    for (const pattern of expandedPatterns(word)) {
      this.#spend(pattern.length);
      this.expanded.add(pattern);
    }
  }

  #addRedirect({ operator, target }: Redirect): void {
    const value = target && wordValue(target);
    if (value !== undefined && !(/^[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(value))) this.redirects.add(value);
  }

  /** Adds a text that a command may get through a variable or its input. */
  #addNamed(word: Word | undefined): void {
    const value = word && wordValue(word);
    if (value !== undefined && value !== '') this.named.add(value);
  }

  #addErrors({ errors = [] }: ParsedScript): void {
    for (const { message } of errors) {
      if (message.includes('nesting depth exceeded')) throw new ScanLimit('it is nested too deeply');
      this.errors.push(message);
    }
  }

  #addFunction(name: string | undefined): void {
    if (name === undefined || isInterpreter(name) || wrappers.has(name) || looseWrappers.has(name)) {
      this.unknown.add('a function has the name of a command');
    }
  }

  #addCommand(command: Command, via: string | undefined): void {
    const items = [command.name, ...command.args].filter((item) => item !== undefined);
    if (items.length === 0) return;
    const words = items.map((item) => (item.type === 'Word' ? wordValue(item) : assignmentText(item)));
    if (
      words.some((word) => word !== undefined && /^g?find$/.test(programName(word))) &&
      items.some((item) => item.type === 'Word' && maySplit(item) && !isFileOnly(item, this.#bare))
    ) {
      this.unknown.add('find may run what an expansion makes');
    }
    this.#noteBuiltin(words);
    this.#noteDeclared(words, items);
    const inputs = [...command.redirects].flatMap((redirect): CommandInput[] => {
      if (redirect.type === 'HereDoc') return [redirect.body.parts ? undefined : redirect.body.text];
      if (redirect.type === 'HereString') return [redirect.target && wordValue(redirect.target)];
      return redirect.operator.includes('<') ? [undefined] : [];
    });
    const reason = reevaluates(
      programName(words[0] ?? ''),
      items.map((item) => (item.type === 'Word' ? wordValue(item) : nameOf(item))),
    );
    if (reason) this.unknown.add(reason);
    this.#run({ words, ...(via === undefined ? {} : { via }) }, inputs);
  }

  /** Adds a command and everything it runs in turn. */
  #run(first: ParsedCommand, inputs: readonly CommandInput[]): void {
    const pending = [first];
    for (let command = pending.pop(); command; command = pending.pop()) {
      const reason = command === first ? undefined : reevaluates(programName(command.words[0] ?? ''), command.words);
      if (reason) this.unknown.add(reason);
      this.#spend(command.words.length + 1);
      this.commands.push(command);
      const starts = command.anyWord ? command.words.keys() : [0];
      for (const start of starts) {
        for (const finding of this.#reveal(command, start, inputs)) this.#take(finding, command.words[start], pending);
      }
    }
  }

  #reveal({ words, anyWord }: ParsedCommand, start: number, inputs: readonly CommandInput[]): readonly Finding[] {
    const first = words[start];
    if (first === undefined) return anyWord ? [] : [{ unknown: 'the name of a command is an expansion' }];
    const name = programName(first);
    if (!anyWord) return [...shellText(name, words, inputs), ...unwrap(name, words)];
    // Every later word is checked as a program anyway: only a program that runs a text is new here.
    if (!/^([a-z]*sh\d*|eval|trap|alias|env|find|\.|source)/.test(name)) return [];
    this.#spend(words.length - start);
    const rest = words.slice(start);
    return [...shellText(name, rest, inputs), ...unwrap(name, rest).filter((finding) => !finding.anyWord)];
  }

  #take({ inner, anyWord, text, unknown }: Finding, by: CommandWord, pending: ParsedCommand[]): void {
    const via = by ?? 'an expansion';
    if (unknown !== undefined) this.unknown.add(unknown);
    if (inner && inner.length > 0) pending.push({ words: inner, via, ...(anyWord ? { anyWord } : {}) });
    for (const word of inner ?? []) this.#noteAssignment(word);
    if (text !== undefined) this.#addText(text, via);
  }

  #addText(text: string, via: string): void {
    this.#texted += 1;
    this.#spend(text.length);
    if (this.#texted > maxTexts) throw new ScanLimit('it hands too many texts to shells');
    this.#texts.push({ text, via });
  }

  /** Variables that builtins fill, and those that `env` sets. */
  #noteBuiltin(words: readonly CommandWord[]): void {
    const [name, ...rest] = words;
    const fills = ['read', 'mapfile', 'readarray', 'getopts', 'let'].includes(name ?? '');
    if (fills || (name === 'printf' && rest[0]?.startsWith('-v')))
      for (const word of rest) this.#names.assign(word ?? '', undefined);
    if (fills) for (const word of rest) this.#names.list(word ?? '');
    if (name === 'let') {
      for (const word of rest) {
        const reason = word === undefined ? 'let evaluates an expansion' : this.#names.useNumber({ value: word });
        if (reason) this.unknown.add(reason);
      }
    }
    for (const word of rest) this.#noteAssignment(word);
  }

  /** Names that `declare` and similar builtins make lists, and those they set to an unknown text. */
  #noteDeclared([name, ...rest]: readonly CommandWord[], items: readonly (Word | Assignment)[]): void {
    if (!['declare', 'typeset', 'local', 'export', 'readonly'].includes(name ?? '')) return;
    const isList = rest.some((word) => /^-\w*[aA]/.test(word ?? ''));
    for (const word of rest) if (isList && word !== undefined) this.#names.list(word);
    for (const item of items) {
      if (item.type !== 'Assignment') continue;
      if (isList) this.#names.list(item.name);
      if (item.value.type === 'Word' && wordValue(item.value) === undefined) this.#names.declare(item.name);
    }
  }

  #noteAssignment(word: CommandWord): void {
    if (word?.startsWith('BASH_FUNC_')) this.unknown.add('a variable holds a function');
    const found = /^([A-Za-z_]\w*)=(.*)$/s.exec(word ?? '');
    if (found) this.#assigned(found[1]!, found[2]);
  }

  #assigned(name: string, value: string | Word | undefined): void {
    this.#names.assign(name, value === undefined ? undefined : [value]);
    if (name === 'ENV') this.#startFile = true;
    if (/^BASH_(ALIASES|CMDS)$/.test(name)) this.unknown.add(`${name} gives a command another name`);
    if (/^(PS[0-4]|PROMPT_COMMAND|BASH_ENV)$/.test(name)) this.unknown.add(`a shell runs what ${name} says`);
    if (!/(COMMAND|EDITOR|PAGER|BROWSER|ASKPASS|SHELL|VISUAL|LESSOPEN|LESSCLOSE|SSH|DIFF|^PS[0-4])$/.test(name)) return;
    const text = typeof value === 'object' ? wordValue(value) : value;
    if (text !== undefined && text !== '') this.#addText(text, name);
  }

  #spend(amount: number): void {
    this.#work += amount;
    if (this.#work > maxWork) throw new ScanLimit('it runs too much within itself');
  }
}

/** True when the word may be a file to `find`, and none of its actions. */
function isFileOnly(word: Word, bare: ReadonlySet<string>): boolean {
  const loose = looseWord(word, bare);
  return typeof loose === 'object' && isNoneOf(loose, riskyOptions['find']?.options ?? []);
}

function wordOf({ value }: Assignment): Word | undefined {
  return value.type === 'Word' ? value : undefined;
}

function assignmentText({ name, index, value }: Assignment): CommandWord {
  const text = value.type === 'Word' && !index ? wordValue(value) : undefined;
  return text === undefined ? undefined : `${name}=${text}`;
}

/** The part of an assignment that a builtin evaluates: the name, the bracket of a subscript, and a text that may be a list. */
function nameOf({ name, index, value }: Assignment): string {
  if (index) return `${name}[`;
  return `${name}=${(value.type === 'Word' ? wordValue(value) : undefined) ?? ''}`;
}
