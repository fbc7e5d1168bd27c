import type { Message } from '@x/core';

const FIRST_CAPACITY = 2048;
/** A UTF-16 code unit takes at most this many bytes in UTF-8. */
const BYTES_PER_UNIT = 3;
const NO_HEAD = Buffer.alloc(0);

/** The part of a body before the history; the same object as long as its bytes are the same. */
export interface Head {
  readonly bytes: Buffer;
  /** The text between it and the first message: the list's bracket, or a comma after the instruction. */
  readonly link: '[' | ',';
}
/** A body being sent. Its bytes stay unchanged at least until it is given back. */
export interface LentBody {
  readonly bytes: Buffer;
  /** Marks the bytes as no longer read. If never called, the next body is written to its own buffer. */
  readonly giveBack: () => void;
}

/**
 * The bodies of one conversation in one growing buffer: head, messages, tail. Messages are immutable, so those that are the same objects as
 * last time are not serialised again, and a body is lent as a view. While one is lent, the next is written to a copy: changing bytes under
 * a socket that reads them would be corruption.
 */
export class HistoryBytes {
  #buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #head: Buffer = NO_HEAD;
  readonly #messages: Message[] = [];
  /** The end of the message with the same index, from the end of the head. */
  readonly #ends: number[] = [];
  /** Bodies of the present buffer that were not given back. */
  #lent = 0;
  readonly #wireMessages: (message: Message) => readonly object[];

  constructor(wireMessages: (message: Message) => readonly object[]) {
    this.#wireMessages = wireMessages;
  }

  lend({ bytes: head, link }: Head, messages: readonly Message[]): LentBody {
    if (this.#lent > 0) this.#move(this.#buffer.length);
    if (head !== this.#head) this.#placeHead(head);
    const kept = this.#commonLength(messages);
    this.#messages.length = kept;
    this.#ends.length = kept;
    for (let index = kept; index < messages.length; index++) this.#append(messages[index]!); // index < length
    const bytes = this.#close(link);
    const buffer = this.#buffer;
    this.#lent++;
    return { bytes, giveBack: () => void (buffer === this.#buffer && this.#lent--) };
  }

  #length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  #commonLength(messages: readonly Message[]): number {
    const most = Math.min(messages.length, this.#messages.length);
    let index = 0;
    while (index < most && messages[index] === this.#messages[index]) index++;
    return index;
  }

  #append(message: Message): void {
    const end = this.#length();
    let text = '';
    for (const wire of this.#wireMessages(message)) text += `,${JSON.stringify(wire)}`;
    const written = text === '' ? 0 : this.#write(text, this.#head.length + end);
    this.#messages.push(message);
    this.#ends.push(end + written);
  }

  /** Writes the part after the messages, and returns the whole body. */
  #close(link: Head['link']): Buffer {
    const start = this.#head.length;
    const length = this.#length();
    const end = start + length + this.#write(length === 0 && link === '[' ? '[]}' : ']}', start + length);
    if (length > 0) this.#write(link, start);
    return this.#buffer.subarray(0, end);
  }

  #placeHead(head: Buffer): void {
    const start = this.#head.length;
    const length = this.#length();
    if (head.length + length > this.#buffer.length) this.#move(head.length + length);
    if (length > 0) this.#buffer.copyWithin(head.length, start, start + length);
    this.#buffer.set(head, 0);
    this.#head = head;
  }

  /** Writes text; returns the number of bytes. */
  #write(text: string, at: number): number {
    if (at + text.length * BYTES_PER_UNIT > this.#buffer.length) {
      const needed = at + Buffer.byteLength(text);
      if (needed > this.#buffer.length) this.#move(Math.max(needed, this.#buffer.length * 2));
    }
    return this.#buffer.write(text, at, 'utf8');
  }

  #move(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(larger, 0, 0, this.#head.length + this.#length());
    this.#buffer = larger;
    this.#lent = 0;
  }
}
