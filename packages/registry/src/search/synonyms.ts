import { stem } from './stem.ts';

/** Lists what tools of all trades do, in the words of people and of their authors; each line is one meaning, and a word may have several. */
const MEANINGS = `create make new add insert register
  delete remove erase trash bin
  update change edit modify rename set
  get show fetch read retrieve view find
  list show
  search find look
  send post
  run call invoke execute start
  stop cancel end`;

let meanings: readonly (readonly string[])[] | undefined;

/** The stems of other words with a meaning of this one; none for most words. */
export function synonymsOf(root: string): ReadonlySet<string> {
  meanings ??= MEANINGS.split('\n').map((line) => line.trim().split(' ').map(stem));
  const synonyms = new Set(meanings.filter((meaning) => meaning.includes(root)).flat());
  synonyms.delete(root);
  return synonyms;
}
