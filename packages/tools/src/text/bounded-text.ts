import { wholeCharacters } from './numbered-lines.ts';

/** Collects a text of any length and keeps its head and its tail; `note` is inserted between them with the number of missing characters. */
export class BoundedText {
  readonly #maxCharacters: number;
  readonly #note: (cutCharacters: number) => string;
  #head = '';
  #tail = '';
  #total = 0;

  constructor(maxCharacters: number, note: (cutCharacters: number) => string) {
    this.#maxCharacters = maxCharacters;
    this.#note = note;
  }

  add(text: string): void {
    this.#total += text.length;
    const room = this.#headCharacters - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Twice the limit before cutting, so that many small additions stay cheap.
    if (this.#tail.length > 2 * this.#maxCharacters) this.#tail = this.#tail.slice(-this.#maxCharacters);
  }

  /** At most the limit; the whole text when it fits. */
  toString(): string {
    if (this.#total <= this.#maxCharacters) return this.#head + this.#tail;
    const tailCharacters = this.#maxCharacters - this.#headCharacters - this.#note(this.#total).length;
    const head = wholeCharacters(this.#head);
    const tail = this.#tail.slice(-tailCharacters).replace(/^[\uDC00-\uDFFF]/, '');
    return head + this.#note(this.#total - head.length - tail.length) + tail;
  }

  get #headCharacters(): number {
    return Math.floor(this.#maxCharacters / 2);
  }
}
