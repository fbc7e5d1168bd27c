import type { Word, WordPart } from 'unbash';

/** The text that a program gets for the word; `undefined` when the shell computes it. A leading `~` stays. */
export function wordValue(word: Word): string | undefined {
  if (hasBraces(word)) return undefined;
  return word.parts ? partsValue(word.parts) : word.value;
}

/** The word's text when it consists of plain and ordinarily quoted characters only, as in a simple line. */
export function plainValue(word: Word): string | undefined {
  const bare = unquoted(word);
  // Checked twice on purpose: special characters of a shell are refused here whatever the parser made of them.
  if (/^~|[=:]~|[$`<>();&|\0]/.test(bare) || foreignBlank.test(bare) || word.parts?.some(isSpecial)) return undefined;
  return wordValue(word);
}

/** Blanks that are not ASCII: to bash they are letters, to some builds of it they are not. */
export const foreignBlank: RegExp = /[\u0085\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]/;

function isSpecial(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return /[$`]/.test(part.text.replace(/\\[\s\S]/g, '_'));
  return part.type === 'AnsiCQuoted' || part.type === 'LocaleString';
}

/** True when the shell may make several words of this one, or none. */
export function maySplit(word: Word): boolean {
  if (wordValue(word) !== undefined) return false;
  const isOne = (part: WordPart) => part.type === 'DoubleQuoted' && !/[@*]/.test(part.text);
  return !word.parts?.every((part) => isOne(part) || partsValue([part]) !== undefined);
}

/** The text of parts that are all literal. */
export function partsValue(parts: readonly WordPart[]): string | undefined {
  let value = '';
  for (const part of parts) {
    const text = partValue(part);
    if (text === undefined) return undefined;
    value += text;
  }
  return value;
}

function partValue(part: WordPart): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return partsValue(part.parts);
    default:
      return undefined;
  }
}

/** The characters that stand outside quotes; each quoted or escaped stretch is one underscore. */
export function unquoted(word: Word): string {
  const bare = (text: string) => text.replace(/\\[\s\S]/g, '_');
  if (!word.parts) return bare(word.text);
  return word.parts.map((part) => (part.type === 'Literal' ? bare(part.text) : '_')).join('');
}

/** True when the word may contain a brace expansion. Wider than the shell's own rule: one that expands to itself counts too. */
export function hasBraces(word: Word): boolean {
  const text = unquoted(word);
  const [open, close] = [text.indexOf('{'), text.lastIndexOf('}')];
  return open !== -1 && open < close && /,|\.\./.test(text.slice(open, close));
}
