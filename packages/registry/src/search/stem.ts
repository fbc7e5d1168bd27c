const STEMMED = /^[a-z]{4,}$/;
const VOWEL = /[aeiouy]/;
const DOUBLE = /([bdfgmnprt])\1$/;

/**
 * The common stem of a word's English forms: `file` and `files`; `create`, `created` and `creating`; `copy` and `copies`. Removes endings
 * of number and tense only (as step 1 of Porter 1980), so that only forms of one word get the same stem.
 */
export function stem(word: string): string {
  if (!STEMMED.test(word)) return word;
  return withoutLastVowel(withoutNoun(withoutTense(withoutNumber(word))));
}

function withoutNumber(word: string): string {
  if (!word.endsWith('s') || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function withoutTense(word: string): string {
  if (word.endsWith('ied')) return `${word.slice(0, -3)}y`;
  const ending = word.endsWith('ing') ? 3 : word.endsWith('ed') && !word.endsWith('eed') ? 2 : 0;
  const base = word.slice(0, word.length - ending);
  if (ending === 0 || base.length < 3 || !VOWEL.test(base)) return word;
  return DOUBLE.test(base) ? base.slice(0, -1) : base;
}

/** `translation` is `translat`, as `translate` is; `deployment` is `deploy`. */
function withoutNoun(word: string): string {
  if (word.length > 6 && /[st]ion$/.test(word)) return word.slice(0, -3);
  return word.length > 7 && word.endsWith('ment') ? word.slice(0, -4) : word;
}

/** `create` becomes `creat`, like `creating`; `notify` would become `notifi` and is left alone. */
function withoutLastVowel(word: string): string {
  return word.length > 3 && word.endsWith('e') && !word.endsWith('ee') ? word.slice(0, -1) : word;
}
