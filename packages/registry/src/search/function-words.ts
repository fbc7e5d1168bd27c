/**
 * English articles, pronouns, auxiliaries, prepositions, conjunctions and question words; not `all`, `no` or `only`, which have a meaning
 * of their own.
 */
const WORDS = `a about after also am an and any are as at be been before being but by can could did do does for from had
  has have he her here him his how i if in into is it its may me might must my nor of on or our out over shall she should
  so some than that the their them then there these they this those to too under until up upon us very was we were what
  when where which while who whom whose why will with would you your`;
const FUNCTION_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/));

/** True for a word, in lower case, that does not help a search. */
export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word);
}
