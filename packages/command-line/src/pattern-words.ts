/** One word of a pattern as it was written. */
export interface WrittenWord {
  /** With its quotes. */
  readonly text: string;
  /** The word without its quotes; where it holds a `*` outside of quotes, a wildcard pattern for one name. */
  readonly value: string;
  readonly wild: boolean;
}

const COMPOUND = new Set(['if', 'for', 'while', 'until', 'case', 'select', 'function', 'coproc', 'time', '{', '[[']);
const OPERATORS = /[;|&\n]/;
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/;

/**
 * The words of one command, quoted as in a shell; only a `*` outside of quotes is special. Returns the fault of an invalid pattern.
 * Patterns are read without the parser for command lines, so that rules can be checked before any line is read.
 */
export function patternWords(pattern: string): WrittenWord[] | { readonly fault: string } {
  const words: WrittenWord[] = [];
  let at = 0;
  for (;;) {
    while (pattern[at] === ' ' || pattern[at] === '\t') at += 1;
    if (at >= pattern.length) break;
    const word = wordAt(pattern, at);
    if ('fault' in word) return word;
    at = word.end;
    words.push(word);
  }
  const [first] = words;
  if (!first) return { fault: UNREADABLE };
  if (ASSIGNMENT.test(first.text))
    return { fault: 'sets a variable, which no rule can allow; write the command alone' };
  if (first.text === '!') return { fault: JOINED };
  if (first.text.startsWith('^'))
    return { fault: "begins with '^': it is not a regular expression; write the words alone" };
  if (/^[\w.-]{2,}:([\w*.-]|$)/.test(first.text) && !/^[^:]*:\*$/.test(pattern.trim()))
    return { fault: "has a colon in the program's name; write a blank behind the program" };
  const odd = oddProgram(first);
  return odd === undefined ? words : { fault: odd };
}

/** Why no program has this name. */
function oddProgram({ text, value }: WrittenWord): string | undefined {
  if (text.startsWith('!')) return 'is a negation, which no rule can have; name the commands that the rule is about';
  if (/\s.*\*|\*.*\s/s.test(value)) return 'has a star and a blank in its program; leave the quotes out';
  if (text !== '[' && /[[\]{}?%]/.test(text))
    return "has a sign in its program that means nothing there; * stands for any characters of a program's name";
  return undefined;
}

const UNREADABLE = 'cannot be read as a command; quote what is special';
const JOINED = 'joins commands; write one rule for each command';
const GROUPED = 'is a compound command; write one rule for each command in it';
const REDIRECTED = 'has a redirect, which no rule can allow; leave it out';

function expanded(text: string): string {
  return `has an expansion ('${text}'); write the words themselves, in single quotes where they hold $`;
}

type Word = (WrittenWord & { readonly end: number }) | { readonly fault: string };

function wordAt(pattern: string, start: number): Word {
  const pieces: { readonly text: string; readonly wild: boolean }[] = [];
  let at = start;
  while (at < pattern.length && pattern[at] !== ' ' && pattern[at] !== '\t') {
    const piece = pieceAt(pattern, at, at === start);
    if ('fault' in piece) return piece;
    pieces.push(piece);
    at = piece.end;
  }
  const text = pattern.slice(start, at);
  if (start === pattern.search(/\S/) && COMPOUND.has(text)) return { fault: GROUPED };
  const bare = pattern.slice(start, at).replace(/\\.|'[^']*'|"[^"]*"/g, '_');
  if (/\{[^}]*(,|\.\.)[^}]*\}/.test(bare)) return { fault: expanded(text) };
  const wild = pieces.some((piece) => piece.wild);
  const value = pieces.map((piece) => (wild && !piece.wild ? escaped(piece.text) : piece.text)).join('');
  return { text, value, wild, end: at };
}

type Piece = { readonly text: string; readonly wild: boolean; readonly end: number } | { readonly fault: string };

function pieceAt(pattern: string, at: number, isFirst: boolean): Piece {
  const character = pattern[at]!; // within the pattern
  const plain = (text: string, end: number): Piece => ({ text, wild: false, end });
  if (character === '*') return { text: '*', wild: true, end: at + 1 };
  if (character === '\\') {
    const next = pattern[at + 1];
    return next === undefined ? { fault: UNREADABLE } : plain(next, at + 2);
  }
  if (character === "'") {
    const end = pattern.indexOf("'", at + 1);
    return end === -1 ? { fault: UNREADABLE } : plain(pattern.slice(at + 1, end), end + 1);
  }
  if (character === '"') return doubleQuoted(pattern, at);
  if (character === '$' || character === '`') return { fault: expanded(pattern.slice(at)) };
  if (character === '<' || character === '>') {
    return { fault: pattern[at + 1] === '(' ? expanded(pattern.slice(at)) : REDIRECTED };
  }
  if (character === '(' || character === ')') return { fault: GROUPED };
  if (OPERATORS.test(character)) return { fault: JOINED };
  if (character === '#' && isFirst) return { fault: UNREADABLE };
  return plain(character, at + 1);
}

function doubleQuoted(pattern: string, start: number): Piece {
  let text = '';
  for (let at = start + 1; at < pattern.length; at += 1) {
    const character = pattern[at]!; // within the pattern
    if (character === '"') return { text, wild: false, end: at + 1 };
    if (character === '$' || character === '`') return { fault: expanded(pattern.slice(at)) };
    const next = pattern[at + 1];
    // In double quotes a backslash takes the meaning of these only.
    if (character === '\\' && next !== undefined && '$`"\\'.includes(next)) {
      text += next;
      at += 1;
    } else text += character;
  }
  return { fault: UNREADABLE };
}

function escaped(text: string): string {
  return text.replace(/[*?[\\]/g, '\\$&');
}
