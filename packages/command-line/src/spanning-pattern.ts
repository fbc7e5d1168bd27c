import type { WrittenWord } from './pattern-words.ts';

/**
 * A test of a whole command, in which a `*` also stands for blanks and a lone `*` for no word at all: the meaning of `*curl*`, `* curl *`
 * and `rm *.ts` in a deny rule. Further words may follow. `undefined` when a test word by word is equivalent.
 */
export function spanningPattern(written: readonly WrittenWord[]): ((command: string) => boolean) | undefined {
  const words = written.slice(0, written.findLastIndex(({ text }) => !/^\*+$/.test(text)) + 1);
  const isPlain = ({ wild, value }: WrittenWord, at: number) =>
    !wild || (at === words.length - 1 && /^(\\.|[^*\\.]|\.(?!\*))*\*+$/s.test(value));
  // Only a lone star at the end needs no word in a test word by word.
  const isRest = written.length - words.length <= (written.at(-1)?.text === '*' ? 1 : 0);
  if (isRest && words.every(isPlain)) return undefined;
  const pattern = words.map(({ text, wild, value }, at) => {
    // Users of regular expressions write `rm .*` and `rm.*`.
    if (/^\.?\*+$/.test(text)) return '*';
    if (wild && at === 0) return ` ${value.replaceAll('.*', '*')}`;
    return ` ${wild ? value : value.replace(/[*\\]/g, '\\$&')}`;
  });
  const pieces = `${pattern.join('')} *`.match(/(?:\\.|[^*\\])+|\*/gs) ?? [];
  const chunks = pieces.map((piece) => (piece === '*' ? undefined : piece.replace(/\\(.)/gs, '$1')));
  return (command) => matchesInTurn(` ${command} `, chunks);
}

/** A star is `undefined`. The last chunk is one, so the first place of each chunk is as good as any. */
function matchesInTurn(text: string, chunks: readonly (string | undefined)[]): boolean {
  let at = 0;
  let isFree = false;
  for (const chunk of chunks) {
    if (chunk === undefined) {
      isFree = true;
      continue;
    }
    const found = isFree ? text.indexOf(chunk, at) : text.startsWith(chunk, at) ? at : -1;
    if (found === -1) return false;
    at = found + chunk.length;
    isFree = false;
  }
  return true;
}
