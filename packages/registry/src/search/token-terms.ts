import { stem } from './stem.ts';
import type { Vocabulary } from './vocabulary.ts';
import { tokensOf, wordsOf } from './words.ts';

/** The numbers of a record: the letters of a token, four in each; how many there are; its term; the age of that. */
const IN_A_RECORD = 8;
const [LENGTH, TERM, AGE] = [5, 6, 7];
const LONGEST_KEPT = 4 * LENGTH;
/** Instead of a term: the token has several words. */
const SEVERAL = -1;
/** There are 2 ** 10 places for records at first, 2 ** 14 when many are taken. */
const [FEW_BITS, MANY_BITS] = [10, 14];
/** The golden ratio spreads what is alike (Knuth 1998, 6.4). */
const SPREAD = 0x9e3779b1 | 0;

/**
 * Reads the terms of texts. Texts repeat their tokens: the last ones are kept with their terms, each at the one place that its letters
 * tell, so that those which are met often need not be cut and looked up again.
 */
export class TokenTerms {
  readonly #vocabulary: Vocabulary;
  #bits = FEW_BITS;
  #records = new Int32Array(IN_A_RECORD << FEW_BITS);
  #kept = 0;
  /** By place, of a token of several words: each term and its age. */
  readonly #several = new Map<number, readonly number[]>();
  /** The token that is read, as in a record. */
  readonly #letters = new Uint8Array(LONGEST_KEPT);
  readonly #quarters = new Int32Array(this.#letters.buffer);
  #terms = new Int32Array(64);
  #count = 0;

  /** Takes unknown terms into the vocabulary. */
  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** The numbers of the terms that were read last, and behind them any others. */
  get terms(): Int32Array {
    return this.#terms;
  }

  /** Reads a term for each word of the texts, and answers how many there are. */
  read(texts: readonly string[]): number {
    this.#count = 0;
    for (const text of texts) this.#readOne(text);
    return this.#count;
  }

  #readOne(text: string): void {
    const before = this.#count;
    const letters = this.#letters;
    let length = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (isOfToken(code)) {
        if (length < LONGEST_KEPT) letters[length] = code;
        length++;
      } else if (code > 0x7f) {
        this.#count = before;
        for (const token of tokensOf(text)) this.#addUnkept(token); // not only ASCII
        return;
      } else if (length > 0) {
        this.#addToken(text, index, length);
        length = 0;
      }
    }
    if (length > 0) this.#addToken(text, text.length, length);
  }

  /** @param end where the token ends in the text */
  #addToken(text: string, end: number, length: number): void {
    if (length > LONGEST_KEPT) {
      this.#addUnkept(text.slice(end - length, end));
      return;
    }
    for (let index = length; (index & 3) !== 0; index++) this.#letters[index] = 0;
    const inLetters = (length + 3) >>> 2;
    const place = this.#placeOf(inLetters);
    const record = IN_A_RECORD * place;
    let isKept = this.#records[record + LENGTH] === length;
    for (let index = 0; isKept && index < inLetters; index++) {
      isKept = this.#records[record + index] === this.#quarters[index];
    }
    if (!isKept || !this.#addKept(place)) this.#keep(place, text.slice(end - length, end));
  }

  /** Where the token that is read is kept, if it is. */
  #placeOf(inLetters: number): number {
    let hash = 0;
    for (let index = 0; index < inLetters; index++) {
      hash = Math.imul(hash ^ this.#quarters[index]!, SPREAD);
      hash ^= hash >>> 15;
    }
    return Math.imul(hash, SPREAD) >>> (32 - this.#bits);
  }

  /** Adds the terms of the record, unless one of the numbers has become that of another term. */
  #addKept(place: number): boolean {
    const record = IN_A_RECORD * place;
    const term = this.#records[record + TERM]!;
    if (term !== SEVERAL) {
      if (this.#vocabulary.ageOf(term) !== this.#records[record + AGE]) return false;
      this.#add(term);
      return true;
    }
    const several = this.#several.get(place)!; // it is one of several
    for (let index = 0; index < several.length; index += 2) {
      if (this.#vocabulary.ageOf(several[index]!) !== several[index + 1]) return false;
    }
    for (let index = 0; index < several.length; index += 2) this.#add(several[index]!);
    return true;
  }

  #keep(place: number, token: string): void {
    const terms = this.#addUnkept(token);
    const [records, record] = [this.#records, IN_A_RECORD * place];
    if (records[record + TERM] === SEVERAL) this.#several.delete(place);
    records.set(this.#quarters, record);
    records[record + LENGTH] = token.length;
    const ages = terms.map((term) => this.#vocabulary.ageOf(term));
    const isOne = terms.length === 1;
    records[record + TERM] = isOne ? terms[0]! : SEVERAL;
    records[record + AGE] = isOne ? ages[0]! : 0;
    if (!isOne)
      this.#several.set(
        place,
        terms.flatMap((term, index) => [term, ages[index]!]),
      );
    if (++this.#kept > 1 << (FEW_BITS - 1) && this.#bits === FEW_BITS) this.#enlarge();
  }

  /** What was kept is soon found again. */
  #enlarge(): void {
    this.#bits = MANY_BITS;
    this.#records = new Int32Array(IN_A_RECORD << MANY_BITS);
    this.#several.clear();
  }

  #addUnkept(token: string): number[] {
    const terms = wordsOf(token).map((word) => this.#vocabulary.add(stem(word)));
    for (const term of terms) this.#add(term);
    return terms;
  }

  #add(term: number): void {
    if (this.#count === this.#terms.length) {
      const terms = new Int32Array(2 * this.#count);
      terms.set(this.#terms);
      this.#terms = terms;
    }
    this.#terms[this.#count++] = term;
  }
}

/** Whether it is the code of a letter or digit of ASCII. */
function isOfToken(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}
