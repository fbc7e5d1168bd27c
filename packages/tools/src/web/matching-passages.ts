const LONGEST_PASSAGE = 1_500;
const MOST_WORDS = 32;
const GAP = '[...]';

/**
 * Shortens a text that is too long to the passages with words of the question, the rarest words first, then its beginning as far as there
 * is room; in the order of the text, with `[...]` for omissions.
 */
export function matchingPassages(text: string, question: string, maxCharacters: number): string {
  const passages = passagesOf(text);
  const scores = scoresOf(passages, wordsOf(question));
  const ranked = [...passages.keys()].sort((one, other) => scores[other]! - scores[one]! || one - other);
  const kept = new Set<number>();
  let room = maxCharacters;
  for (const at of ranked) {
    room -= passages[at]!.length + GAP.length + 4; // with the blank lines around both
    if (room < 0) break;
    kept.add(at);
  }
  return passages
    .flatMap((passage, at) => (kept.has(at) ? [passage] : at === 0 || kept.has(at - 1) ? [GAP] : []))
    .join('\n\n');
}

function passagesOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .flatMap(
      (block) => block.match(new RegExp(`[^]{1,${LONGEST_PASSAGE}}(?=\\s|$)|[^]{1,${LONGEST_PASSAGE}}`, 'g')) ?? [],
    );
}

function wordsOf(question: string): string[] {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(question.toLowerCase());
  const words = [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  return [...new Set(words)].filter((word) => word.length > 1).slice(0, MOST_WORDS);
}

/** The score of each passage: the sum over its words, rarer ones counting more. */
function scoresOf(passages: readonly string[], words: readonly string[]): number[] {
  const scores = passages.map(() => 0);
  const lower = passages.map((passage) => passage.toLowerCase());
  for (const word of words) {
    const having = [...lower.keys()].filter((at) => lower[at]!.includes(word));
    for (const at of having) scores[at]! += Math.log(passages.length / having.length);
  }
  return scores;
}
