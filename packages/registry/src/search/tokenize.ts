const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** A run of ideographs, kana or hangul, or of anything else. */
const SCRIPT_RUN =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+|[^\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+/gu;
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;
/** Between `read` and `File`, and between `HTTP` and `Server`. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/**
 * The terms of a text: words in small letters, whatever their case. Chinese, Japanese and Korean, which do not mark where words
 * end, become two-character pieces. `indexing` adds what a query may name instead: the parts of camel words, single characters.
 */
export function tokenize(text: string, { indexing = false }: { readonly indexing?: boolean } = {}): string[] {
  const terms: string[] = [];
  for (const [word] of text.normalize('NFKC').matchAll(WORD)) {
    terms.push(...termsOf(word, indexing));
    const parts = indexing ? word.split(CAMEL) : [];
    if (parts.length > 1) for (const part of parts) terms.push(...termsOf(part, indexing));
  }
  return terms;
}

function termsOf(word: string, indexing: boolean): string[] {
  const small = word.toLowerCase();
  if (!UNSPACED.test(small)) return [small];
  const runs = Array.from(small.matchAll(SCRIPT_RUN), ([run]) => run);
  return runs.flatMap((run) => (UNSPACED.test(run) ? pieces(run, indexing) : [run]));
}

function pieces(run: string, indexing: boolean): string[] {
  const characters = Array.from(run);
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  return indexing || pairs.length === 0 ? [...characters, ...pairs] : pairs;
}
