import type { ParameterExpansionPart, Word, WordPart } from 'unbash';
import type { Becoming, LooseWord } from './command-line.ts';
import { foreignBlank, hasBraces, unquoted } from './word-value.ts';

/**
 * The word as a loose one, in a line with these `bareNames`; a text when it is only `cat` of a here-document, `undefined` when it may do
 * more.
 */
export function looseWord(word: Word, bare: ReadonlySet<string>): LooseWord | string | undefined {
  const open = unquoted(word);
  // A dollar is literal only if nothing after it could make it an expansion.
  if (/[`<>();&|\0]|\$(?!$)/.test(open) || foreignBlank.test(open)) return undefined;
  const parts = word.parts ?? [];
  if (hasBraces(word) && !parts.some(({ type }) => type === 'BraceExpansion')) return undefined;
  const pieces = parts.map((part) => piece(part, false));
  if (!pieces.every((each) => each !== undefined)) return undefined;
  if (pieces.every(({ literal }) => literal !== undefined) && !/^~|[=:]~/.test(open))
    return word.parts ? pieces.map(({ literal }) => literal).join('') : word.value;
  const starts = word.parts ? startOf(pieces) : word.value;
  return {
    text: word.text,
    starts: open.startsWith('~') ? '/' : starts.replace(/([=:])~.*$/s, '$1'),
    ends: pieces.at(-1)?.literal ?? '',
    becomes: widest(pieces),
    scripts: pieces.flatMap(({ script }) => script ?? []),
    ...(isGiven(parts, bare) ? { given: true } : {}),
  };
}

interface Piece {
  readonly literal?: string | undefined;
  /** The literal text that stands first in it. */
  readonly starts?: string;
  readonly becomes?: Becoming;
  readonly script?: readonly string[];
}

function piece(part: WordPart, isQuoted: boolean): Piece | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return { literal: part.value };
    case 'AnsiCQuoted':
      return {};
    case 'Glob':
      return { becomes: 'alike' };
    case 'DoubleQuoted':
      if (part.parts.every(({ type }) => type === 'Literal') && /`|\$[\w{([?#$!@*-]/.test(unescaped(part.text)))
        return undefined;
      return joinedPieces(part.parts.map((each) => piece(each, true)));
    case 'BraceExpansion':
      return /^\{[\w.,:@%+/=-]*\}$/.test(part.text) ? { becomes: 'alike' } : undefined;
    case 'SimpleExpansion':
      return /^\$(\w+|[?#$!@*-])$/.test(part.text) ? variable(part.text.slice(1), isQuoted) : undefined;
    case 'ParameterExpansion':
      return isHarmless(part) ? variable(part.prefix === '#' ? '#' : part.parameter, isQuoted) : undefined;
    case 'ArithmeticExpansion':
      // Whether a variable in it is evaluated as a text is looked at elsewhere.
      return /^\$\(\([\w\s$+*/%()<>!&|^?:-]*\)\)$/.test(part.text) && !/\+\+|--|\$\(.*\$\(/.test(part.text)
        ? {}
        : undefined;
    case 'CommandExpansion':
      return substitution(part.text, isQuoted);
    case 'ProcessSubstitution':
      return part.operator === '<' ? { script: [part.text.slice(2, -1)] } : undefined;
    default:
      return undefined;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\[\s\S]/g, '_');
}

function joinedPieces(pieces: readonly (Piece | undefined)[]): Piece | undefined {
  if (!pieces.every((each) => each !== undefined)) return undefined;
  const literals = pieces.map(({ literal }) => literal);
  if (!literals.includes(undefined)) return { literal: literals.join('') };
  return { starts: startOf(pieces), becomes: widest(pieces), script: pieces.flatMap(({ script }) => script ?? []) };
}

/** True when it cannot become any of these words: by its first letter, which is not a dash, or by its last ones. */
export function isNoneOf({ starts, ends, becomes, given }: LooseWord, options: readonly string[]): boolean {
  if (given) return true;
  if (becomes === 'any') return false;
  return /^[^-+]/.test(starts) || (ends !== '' && !options.some((option) => option.endsWith(ends)));
}

/** Variables that the shell gives values, which the line may choose. */
const SHELLS_OWN = /^(BASH\w*|COMP_?\w*|COPROC\w*|DIRSTACK|FUNCNAME|HIST\w*|MAPFILE|OLDPWD|OPT\w*|PWD|REPLY)$/;

/** Names in a line that do not follow a dollar, also after the letters of an option: of a loop, of `read x`, of `printf -vx`. */
export function bareNames(line: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!line.includes('$')) return names;
  // A name may be put together by quotes: `x\y` is `xy`.
  const joined = line.replace(/\\\n/g, '').replace(/['"\\]/g, '');
  for (const [, dollar, option, name = ''] of `${line}\n${joined}`.matchAll(/(\$\{?)?([-+])?(\w+)/g)) {
    if (dollar !== undefined && option === undefined) continue;
    names.add(name);
    if (option !== undefined) for (let at = 1; at < Math.min(name.length, 64); at += 1) names.add(name.slice(at));
  }
  return names;
}

/** True when its text with all variables empty is no option, and the line sets none of its variables. */
function isGiven(parts: readonly WordPart[], bare: ReadonlySet<string>): boolean {
  const inner: readonly WordPart[] = parts.flatMap((part): readonly WordPart[] =>
    part.type === 'DoubleQuoted' ? part.parts : [part],
  );
  let rest = '';
  for (const part of inner) {
    if (part.type === 'Literal' || part.type === 'SingleQuoted') rest += part.value;
    else if (part.type === 'Glob') rest += '*';
    else if (!isHostsVariable(part, bare)) return false;
  }
  return !/^[-+*]/.test(rest) && inner.some(({ type }) => type === 'SimpleExpansion' || type === 'ParameterExpansion');
}

function isHostsVariable({ text }: WordPart, bare: ReadonlySet<string>): boolean {
  const name = /^\$\{?([A-Za-z]\w*)\}?$/.exec(text)?.[1];
  return name !== undefined && !SHELLS_OWN.test(name) && !bare.has(name);
}

function startOf(pieces: readonly Piece[]): string {
  const end = pieces.findIndex(({ literal }) => literal === undefined);
  const literals = pieces.slice(0, end === -1 ? undefined : end).map(({ literal }) => literal);
  return literals.join('') + (pieces[end]?.starts ?? '');
}

function widest(pieces: readonly Piece[]): Becoming {
  const all = pieces.map(({ becomes }) => becomes);
  return all.includes('any') ? 'any' : all.includes('alike') ? 'alike' : 'one';
}

function variable(name: string, isQuoted: boolean): Piece {
  // They are what the shell was started with or where it is, an absolute path; no covered line gives them another value.
  const starts = isQuoted && /^(HOME|PWD)$/.test(name) ? '/' : '';
  return { starts, becomes: name === '@' || (!isQuoted && !/^[?#$!]$/.test(name)) ? 'any' : 'one' };
}

/** An expansion that neither sets a variable nor evaluates one: `${x}`, `${x:-y}`, `${x%.ts}`, `${x/a/b}`. */
function isHarmless({ prefix, index, operation, parameter }: ParameterExpansionPart): boolean {
  if (prefix === '!' || index || !/^(\w+|[?#$!@*-])$/.test(parameter)) return false;
  switch (operation?.type) {
    case undefined:
      return true;
    case 'Default':
      return /^:?[-+]$/.test(operation.operator) && isPlain(operation.operand);
    case 'Remove':
      return isPlain(operation.operand);
    case 'Replace':
      return isPlain(operation.pattern) && isPlain(operation.replacement);
    default:
      return false;
  }
}

function isPlain({ text }: Word): boolean {
  return /^[\w./:@%+=*?, -]*$/.test(text);
}

function substitution(text: string, isQuoted: boolean): Piece | undefined {
  const document = documentText(text);
  if (isQuoted && document !== undefined) return { literal: document };
  // In backquotes a backslash takes another meaning, and so do double quotes where the whole stands in such.
  const isPlain = text.startsWith('`') && !(isQuoted ? /["\\]/ : /\\/).test(text);
  const script = text.startsWith('$(') ? text.slice(2, -1) : isPlain ? text.slice(1, -1) : undefined;
  return script === undefined ? undefined : { becomes: isQuoted ? 'one' : 'any', script: [script] };
}

/** The text of `$(cat <<'EOF' ..)`, when nothing in it is expanded. */
function documentText(text: string): string | undefined {
  const found = /^\$\(cat <<[ \t]*('?)(\w+)\1\n/.exec(text);
  if (!found) return undefined;
  const lines = text.slice(found[0].length).split('\n');
  const end = lines.indexOf(found[2]!);
  if (
    end === -1 ||
    lines
      .slice(end + 1)
      .join('\n')
      .trim() !== ')'
  )
    return undefined;
  const body = lines.slice(0, end).join('\n');
  return found[1] === '' && /[$`\\]/.test(body) ? undefined : body.replace(/\n+$/, '');
}
