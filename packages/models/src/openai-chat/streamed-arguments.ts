import { isObjectText } from './tool-arguments.ts';

/** The arguments of a call, received in pieces. */
export class StreamedArguments {
  #text = '';
  /** Pieces not parsed yet: for most services it is never necessary to know whether a call is complete. */
  #unread: string[] = [];
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #hasEnded = false;
  /** Does not begin with an object, or continues after its end. */
  #isOther = false;
  #isObject: boolean | undefined;

  get text(): string {
    return this.#text;
  }

  /** True when they are a complete object. Nothing is parsed twice for this: a long text may arrive in very small pieces. */
  get isWhole(): boolean {
    for (const piece of this.#unread.splice(0)) this.#readPiece(piece);
    if (!this.#hasEnded || this.#isOther) return false;
    return (this.#isObject ??= isObjectText(this.#text));
  }

  add(piece: string): void {
    if (piece === '') return;
    this.#text += piece;
    this.#unread.push(piece);
  }

  #readPiece(piece: string): void {
    for (let at = 0; at < piece.length && !this.#isOther; at++) this.#read(piece.charAt(at));
  }

  #read(character: string): void {
    if (this.#inString) return this.#readInString(character);
    if (SPACE.includes(character)) return;
    if (this.#hasEnded || (this.#depth === 0 && character !== '{')) this.#isOther = true;
    else if (character === '"') this.#inString = true;
    else if (character === '{') this.#depth++;
    else if (character === '}') this.#hasEnded = --this.#depth === 0;
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#inString = false;
  }
}

const SPACE = ' \t\n\r';
