import { isObject } from './tool-arguments.ts';

/** The arguments of a call as they come, piece by piece. */
export class StreamedArguments {
  #text = '';
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #hasEnded = false;
  /** Begins in another way than an object, or goes on after its end. */
  #isOther = false;
  #isObject: boolean | undefined;

  get text(): string {
    return this.#text;
  }

  /** Whether they are an object that has been ended. Nothing is read twice to tell that: a long text may come in very small pieces. */
  get isWhole(): boolean {
    if (!this.#hasEnded || this.#isOther) return false;
    return (this.#isObject ??= isObject(this.#text));
  }

  add(piece: string): void {
    this.#text += piece;
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
