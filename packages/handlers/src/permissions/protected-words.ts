import type { CommandLine, ParsedCommand } from '@x/command-line';
import { isLiteral, segmentPattern } from '@x/core/path-pattern';
import { normalPath, segmentsOf } from './path-forms.ts';
import { isProtected, type OwnFiles, PROTECTED_NAMES } from './protected-paths.ts';

/** The directories that words of a line are resolved against. */
interface Start extends OwnFiles {
  readonly cwd: string;
  readonly home?: string;
}

/** Files in `.ssh` that reveal the directory when its own name is hidden. */
const KEY_FILES = new Set(['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'authorized_keys']);
/** Words of a line that are resolved, which takes 0.03 ms each; a line with more of them is asked about. */
const MAX_WORDS = 4_096;
const MAX_GUESSES = 1_000;

/** True when a line must be checked for protected paths: any word after the program may name one, or a link to one. */
export function mayNameProtected(line: string): boolean {
  return /[\s/.\\'"`$*?[{~<>]/.test(line.trim());
}

/** The literal words of a line that may be paths, to be resolved: no options, and no more than tell that there are too many. */
export function pathWords({ commands, redirects, named }: CommandLine): readonly string[] {
  const words = commands.flatMap(({ words: [program, ...rest] }) => [program?.includes('/') ? program : '', ...rest]);
  const paths = [...words, ...redirects, ...named].flatMap((word) => word?.split('=').at(-1) ?? []);
  return [...new Set(paths.filter((word) => word !== '' && !word.startsWith('-') && !/[\0\n]/.test(word)))].slice(
    0,
    MAX_WORDS + 1,
  );
}

/**
 * The first protected path that a command line names: in a literal word or redirect, as the target of one of its words (`resolved`), in a
 * word with an expansion that may stand for one, or by setting git's configuration; in a line of very many words the first one that is not
 * looked at. Paths computed by a program are not detected.
 */
export function protectedWord(line: CommandLine, resolved: readonly string[], start: Start): string | undefined {
  const words = line.commands.flatMap(({ words: all }) => all.filter((word) => word !== undefined));
  // In a line that could not be parsed completely, every piece counts as a word.
  const pieces = line.error === undefined ? [] : line.text.replace(/["'\\]/g, '').split(/[\s;|&<>()]+/);
  return (
    [...words, ...line.redirects, ...line.named, ...pieces].find((word) =>
      partsOf(word).some((part) => isNamed(part, start)),
    ) ??
    resolved.find((path) => isProtected(path, start.ownDirectories)) ??
    line.expanded.find((pattern) => partsOf(pattern).some((part) => mayStandFor(part, start))) ??
    (line.commands.some(setsGit) ? '.git/config' : undefined) ??
    pathWords(line)[MAX_WORDS]
  );
}

/** A word, and the paths that options contain after a sign: --file=x, of=x, host:x, -I/x. */
function partsOf(word: string): readonly string[] {
  return [word, ...word.split(/[=:,@]/), word.replace(/^-[A-Za-z]/, '')].filter((part) => part !== '');
}

function isNamed(part: string, { cwd, home, ownDirectories }: Start): boolean {
  if (/(^|\/)dev\/fd\/.*\.\./.test(part)) return true; // a link into /proc, from where `..` is another place than it reads
  const spelled = /^~(\/|$)/.test(part) ? `${home ?? ''}/${part.slice(1)}` : part;
  return isProtected(normalPath(spelled, cwd), ownDirectories);
}

/** True when a word with expansions, from `CommandLine.expanded`, may stand for a protected path. */
function mayStandFor(pattern: string, { cwd, home, ownDirectories }: Start): boolean {
  const spelled = /^~(\/|$)/.test(pattern) ? `${escaped(home ?? '')}/${pattern.slice(1)}` : pattern;
  const segments = segmentsOf(normalPath(spelled, escaped(cwd)));
  const own = ownDirectories.map(segmentsOf);
  let guesses: readonly string[] = [''];
  for (const [index, segment] of segments.entries()) {
    const names = namesFor(
      segment,
      segments[index + 1],
      own.flatMap((directory) => directory[index] ?? []),
    );
    guesses = guesses.flatMap((guess) => names.map((name) => `${guess}/${name}`));
    if (guesses.length > MAX_GUESSES) return true;
  }
  return guesses.some((guess) => isProtected(guess, ownDirectories));
}

/** The relevant names that one segment of a pattern may stand for; `*` is any other. */
function namesFor(segment: string, next: string | undefined, own: readonly string[]): readonly string[] {
  if (isLiteral(segment)) return [segment];
  if (/^\*\*+$/.test(segment)) {
    // Any text at all: counts as a protected directory only because of the name after it.
    if (next === 'environ') return ['*', 'proc/self'];
    return ['*', ...(next === undefined ? [] : ['.git', ...(KEY_FILES.has(next) ? ['.ssh'] : [])])];
  }
  if (segment.startsWith('**')) return ['*'];
  const matches = segmentPattern(segment);
  // A file name pattern matches a leading dot only if it spells it.
  const isHidden = /^[*?[]/.test(segment);
  const found = [...PROTECTED_NAMES, ...own].filter((name) => matches(name) && !(isHidden && name.startsWith('.')));
  return [segment.replace(/\\(.)/g, '$1'), ...found];
}

/** True when git is asked to write its configuration, which names programs that it runs. */
function setsGit({ words: [program, ...rest] }: ParsedCommand): boolean {
  if (program === undefined || !/(^|\/)git$/.test(program)) return false;
  const at = rest.indexOf('config');
  const before = rest.slice(0, Math.max(at, 0));
  if (at === -1 || before.some((word, index) => !word?.startsWith('-') && !/^-[cC]$/.test(before[index - 1] ?? ''))) {
    return false;
  }
  const options = rest.slice(at + 1);
  if (options.some((word) => /^(--get|--list$|-l$)/.test(word ?? '')) || /^(get|list)$/.test(options[0] ?? ''))
    return false;
  const isWriting = options.some((word) => /^(--(add|replace|unset|rename|remove|edit)|-e$)/.test(word ?? ''));
  const operands = options.filter((word) => !word?.startsWith('-'));
  return isWriting || operands.length > 1;
}

function escaped(text: string): string {
  return text.replace(/[*?[\\]/g, '\\$&');
}
