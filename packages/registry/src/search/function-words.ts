/** English articles, pronouns, auxiliaries, prepositions, conjunctions and question words. */
const WORDS = `a about after all also am an and any are as at be been before being both but by can could did do does
  each for from had has have he her here him his how i if in into is it its may me might more most must my no nor not
  of on only or other our out over shall she should so some such than that the their them then there these they this
  those to too under until up upon us very was we were what when where which while who whom whose why will with would
  you your`;
const FUNCTION_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/));

/** Whether a word, in small letters, says nothing of what is looked for. */
export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word);
}
