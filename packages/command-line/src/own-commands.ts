import {
  type Assignment,
  type Command,
  type CommandArgument,
  type ParsedScript,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { builtinObstacle } from './builtin-obstacle.ts';
import { childrenOf } from './children.ts';
import type { LooseWord, OwnCommand } from './command-line.ts';
import { bareNames, looseWord } from './loose-word.ts';
import { quoted } from './quoted.ts';
import { plainValue } from './word-value.ts';

/** The commands that the text itself runs, substitutions and compound commands included, or the first obstacle to finding them. */
export interface OwnCommands {
  readonly commands: readonly OwnCommand[];
  /** A later command may run before an earlier one. */
  readonly repeats: boolean;
  readonly obstacle?: string;
}

const MOST_DEPTH = 3;
const MOST_SUBSTITUTED = 20_000;
const MOST_FIND_WORDS = 200;
/** Allowed text between the words: blanks, the operators, `!`, and comments; with compound commands, theirs too. */
const between: RegExp = /^(?:[ \t\n;|!]|&&|\|&|\\\n|#[^\n]*(?=\n|$))*$/;
const betweenCompound: RegExp =
  /^(?:[ \t\n;|!(){}]|&&|\|&|\\\n|#[^\n]*(?=\n|$)|(?:if|then|elif|else|fi|for|in|do|done|while|until|time|-p)(?=[\s;()|]|$))*$/;
const descriptorTarget = /^(\d+-?|-)$/;

/** Reads the commands of a script; the caller checks the script's errors. */
export function ownCommands(script: ParsedScript, text: string): OwnCommands {
  const reader = new Reader(text);
  const obstacle = reader.read(script, text, 0);
  return { commands: reader.commands, repeats: reader.repeats, ...(obstacle === undefined ? {} : { obstacle }) };
}

interface Span {
  readonly pos: number;
  readonly end: number;
}

class Reader {
  readonly commands: OwnCommand[] = [];
  repeats = false;
  #spans: Span[] = [];
  #text = '';
  #gap = between;
  #substituted = 0;
  readonly #bare: ReadonlySet<string>;

  constructor(line: string) {
    this.#bare = bareNames(line);
  }

  /** Returns the first obstacle. */
  read(script: ParsedScript, text: string, depth: number): string | undefined {
    if (script.commands.length === 0) return depth === 0 ? 'the line runs nothing' : 'a substitution runs nothing';
    const outer = { spans: this.#spans, gap: this.#gap, text: this.#text };
    this.#spans = [];
    this.#gap = between;
    this.#text = text;
    const obstacle = this.#node(script, depth) ?? this.#missed(text);
    this.#spans = outer.spans;
    this.#gap = outer.gap;
    this.#text = outer.text;
    return obstacle;
  }

  /** Finds text that the parser skipped silently. */
  #missed(text: string): string | undefined {
    let end = 0;
    const spans = this.#spans.sort((a, b) => a.pos - b.pos);
    for (const span of [...spans, { pos: text.length, end: text.length }]) {
      const gap = text.slice(end, span.pos);
      if (!this.#gap.test(gap)) return quoted(gap.trim(), 'is not understood');
      end = span.end;
    }
    return undefined;
  }

  #node(node: SyntaxNode, depth: number): string | undefined {
    if (!['Script', 'Statement', 'AndOr', 'Pipeline', 'Command', 'Negation'].includes(node.type))
      this.#gap = betweenCompound;
    switch (node.type) {
      case 'Command':
        return this.#command(node, depth);
      case 'Statement':
        return (
          this.#node(node.command, depth) ?? (node.background ? '`&` runs a command in the background' : undefined)
        );
      case 'Redirected':
        this.#spans.push(...node.redirects);
        return this.#node(node.command, depth) ?? first(node.redirects, redirectObstacle);
      case 'For':
        this.repeats = true;
        return this.#loop(node.name, node.wordlist ?? [], depth) ?? this.#node(node.body, depth);
      case 'While':
        this.repeats = true;
        return this.#children(node, depth);
      case 'Script':
      case 'CompoundList':
      case 'AndOr':
      case 'Pipeline':
      case 'If':
      case 'Elif':
      case 'Subshell':
      case 'BraceGroup':
        return this.#children(node, depth);
      case 'Time':
      case 'Negation':
        return undefined;
      default:
        return `${node.type} is a compound command that no rule covers`;
    }
  }

  #children(node: SyntaxNode, depth: number): string | undefined {
    return first(childrenOf(node) ?? [], (child) => child && this.#node(child, depth));
  }

  #loop(name: Word, words: readonly Word[], depth: number): string | undefined {
    this.#spans.push(name, ...words);
    // A variable in capital letters may be one of the shell or of other programs.
    if (!/^[a-z]\w*$/.test(name.text)) return quoted(name.text, 'is set by a loop');
    return this.#words(words, depth).obstacle;
  }

  #command({ name, prefix, suffix }: Command, depth: number): string | undefined {
    const spanned = this.#span([...prefix, ...(name ? [name] : []), ...suffix]);
    const items = suffix.filter((item) => item.type === 'Word' || item.type === 'Assignment');
    const redirects = [...prefix, ...suffix].filter((item) => item.type !== 'Word' && item.type !== 'Assignment');
    const read = this.#words(name ? [name, ...items] : [], depth);
    const isNamed = typeof read.words[0] === 'string';
    if (isNamed) this.commands.push(ownCommand(read.words));
    const assignment = prefix.find(
      (item): item is Assignment => item.type === 'Assignment' && !isSeparator(item, read.words),
    );
    if (assignment) return quoted(assignment.text, 'sets a variable');
    if (name && !isNamed) return quoted(name.text, 'is an expansion, and names a command');
    const handed = redirects.flatMap((item) => (item.type === 'HereString' && item.target ? [item.target] : []));
    const obstacle =
      read.obstacle ?? this.#words(handed, depth).obstacle ?? first(redirects, redirectObstacle) ?? spanned;
    return obstacle ?? (name ? builtinObstacle(read.words) : 'a redirect stands without a command');
  }

  /** Between the parts of one command there are blanks only. */
  #span(items: readonly Span[]): string | undefined {
    let end = items[0]?.pos ?? 0;
    for (const item of items) {
      const gap = this.#text.slice(end, item.pos);
      if (!/^(?:[ \t]|\\\n)*$/.test(gap)) return quoted(gap.trim(), 'is not understood');
      end = item.end;
      this.#spans.push(item);
    }
    return undefined;
  }

  #words(items: readonly CommandArgument[], depth: number): { words: (string | LooseWord)[]; obstacle?: string } {
    const words: (string | LooseWord)[] = [];
    for (const item of items) {
      if (item.type === 'Assignment') return { words, obstacle: quoted(item.text, 'sets a variable') };
      const word = plainValue(item) ?? looseWord(item, this.#bare);
      if (word === undefined)
        return { words, obstacle: quoted(item.text, 'is an expansion that may do more than make a word') };
      words.push(word);
      const obstacle =
        typeof word === 'string' ? undefined : first(word.scripts, (text) => this.#substitution(text, depth));
      if (obstacle !== undefined) return { words, obstacle };
    }
    return { words };
  }

  #substitution(text: string, depth: number): string | undefined {
    this.#substituted += text.length;
    if (depth >= MOST_DEPTH || this.#substituted > MOST_SUBSTITUTED)
      return 'a substitution is too long or too deep to be read';
    const script = parse(text);
    const [error] = script.errors ?? [];
    return error ? error.message : this.read(script, text, depth + 1);
  }
}

function redirectObstacle(item: Redirection): string | undefined {
  if (item.type === 'HereString') return undefined; // what it hands on is a word like any other
  if (item.type !== 'Redirect') return 'a here-document is not covered by any rule';
  const { operator, target, descriptor } = item;
  const file = target && plainValue(target);
  if (descriptor?.type !== 'FileDescriptorVariable' && file !== undefined) {
    if (file === '/dev/null' || (/^[<>]&$/.test(operator) && descriptorTarget.test(file))) return undefined;
    // Of these bash opens a connection.
    if (operator === '<' && !/dev\/(tcp|udp)\//.test(file)) return undefined;
  }
  const what = operator.includes('>') ? 'an output redirect to' : 'a redirect from';
  return `${what} ${quoted(target?.text ?? '', 'is not covered by any rule')}`;
}

/** `IFS= read -r x`: it ends with the builtin. */
function isSeparator({ text, value }: Assignment, [program]: OwnCommand['words']): boolean {
  return program === 'read' && text.startsWith('IFS=') && value.type === 'Word' && plainValue(value) !== undefined;
}

function ownCommand(words: OwnCommand['words']): OwnCommand {
  const at = words[0] === 'find' && words.length <= MOST_FIND_WORDS ? words.indexOf('-exec') : -1;
  if (at === -1) return { words };
  const end = words.findIndex(
    (word, place) => place > at && (word === ';' || (word === '+' && words[place - 1] === '{}')),
  );
  const inner = words.slice(at + 1, end === -1 ? at + 1 : end);
  if (typeof inner[0] !== 'string' || inner[0].includes('{}') || inner.some(mayEnd)) return { words };
  // The name of a found file is any text after the part before the braces.
  const filled = inner.map((word): string | LooseWord => {
    if (typeof word !== 'string' || !word.includes('{}')) return word;
    return { text: word, starts: word.slice(0, word.indexOf('{}')), ends: '', becomes: 'alike', scripts: [] };
  });
  const { apart = [], ...rest } = ownCommand([...words.slice(0, at), ...words.slice(end + 1)]);
  return { words, apart: apart.length > 0 ? [...apart, { words: filled }] : [rest, { words: filled }] };
}

/** True when an expansion may become the `;`, or the braces before a `+`, at which `find -exec` would end earlier. */
function mayEnd(word: string | LooseWord): boolean {
  if (typeof word === 'string') return false;
  return word.becomes === 'any' || !(/^[^;+{]/.test(word.starts) || /[^;+}]$/.test(word.ends));
}

function first<T>(items: readonly T[], obstacle: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = obstacle(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
