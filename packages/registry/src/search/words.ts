const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[A-Za-z0-9]+/g;
const CJK = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}`;

/** The patterns with Unicode classes. As literals they would cost 5 ms of every start; these are made on first use. */
function makePatterns() {
  return {
    word: new RegExp(String.raw`[\p{L}\p{M}\p{N}]+`, 'gu'),
    /** A run of ideographs, kana or hangul, or of anything else. */
    scriptRun: new RegExp(`[${CJK}]+|[^${CJK}]+`, 'gu'),
    unspaced: new RegExp(`[${CJK}]`, 'u'),
    /** Letters in one case without a digit have no parts. */
    plain: new RegExp(String.raw`^\p{Lu}?[\p{Ll}\p{M}]*$`, 'u'),
    /** Between `read` and `File`, `HTTP` and `Server`, `sha` and `256`; `v2` and `s3` stay whole. */
    part: new RegExp(
      String.raw`(?<=\p{Ll})(?=\p{Lu})|(?<=\p{N})(?=\p{L}{3})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L}{3})(?=\p{N})`,
      'u',
    ),
  };
}
let made: ReturnType<typeof makePatterns> | undefined;

function patterns(): ReturnType<typeof makePatterns> {
  return (made ??= makePatterns());
}

/** The runs of letters and digits of a text. */
export function tokensOf(text: string): readonly string[] {
  if (ASCII.test(text)) return text.match(ASCII_WORD) ?? [];
  return text.normalize('NFKC').match(patterns().word) ?? [];
}

/**
 * The words of a token in lower case, as they are indexed: a name like `readFile` in parts, and as one word when there are two. Chinese,
 * Japanese and Korean, which do not separate words, become single characters and two-character pieces.
 */
export function wordsOf(token: string): string[] {
  if (patterns().plain.test(token)) return [token.toLowerCase()];
  const words: string[] = [];
  addParts(words, token);
  return words;
}

/** Maximum number of distinct words of a query; the rest of a longer text is ignored. */
const MOST_QUERY_WORDS = 64;

/**
 * The first distinct words of a query, whatever their case: a name like `readFile` as one word, since only case separates its parts.
 * Chinese, Japanese and Korean as two-character pieces.
 */
export function queryWordsOf(query: string): Set<string> {
  const words = new Set<string>();
  for (const word of tokensOf(query)) {
    for (const run of runsOf(word.toLowerCase())) {
      for (const one of patterns().unspaced.test(run) ? pairsOf(run) : [run]) {
        if (words.add(one).size === MOST_QUERY_WORDS) return words;
      }
    }
  }
  return words;
}

/** True for a piece of a script that does not separate words. */
export function isUnspaced(word: string): boolean {
  return patterns().unspaced.test(word);
}

function addParts(words: string[], word: string): void {
  for (const run of runsOf(word)) {
    if (patterns().unspaced.test(run)) {
      const characters = Array.from(run);
      words.push(...characters);
      if (characters.length > 1) words.push(...pairsOf(run));
      continue;
    }
    const parts = run.split(patterns().part);
    for (const part of parts) words.push(part.toLowerCase());
    if (parts.length === 2) words.push(run.toLowerCase());
  }
}

function runsOf(word: string): readonly string[] {
  return patterns().unspaced.test(word) ? (word.match(patterns().scriptRun) ?? []) : [word];
}

/** The two-character pieces; for a single character itself. */
function* pairsOf(run: string): Generator<string> {
  let before = '';
  for (const character of run) {
    if (before !== '') yield before + character;
    before = character;
  }
  if (before === run) yield run;
}

/** English articles, pronouns, auxiliaries, prepositions, conjunctions and question words; not `all`, `no` or `only`, which say something. */
const WORDS = `a about after also am an and any are as at be been before being but by can could did do does for from had
  has have he her here him his how i if in into is it its may me might must my nor of on or our out over shall she should
  so some than that the their them then there these they this those to too under until up upon us very was we were what
  when where which while who whom whose why will with would you your`;
const FUNCTION_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/));

/** True for a word, in small letters, that says nothing of what is looked for. */
export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word);
}
